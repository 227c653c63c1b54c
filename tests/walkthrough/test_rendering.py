import pytest

from memory.walkthrough.access import Said
from memory.walkthrough.commands import Memories, Persona, Scenes, Transcript, run_line
from memory.walkthrough.rendering import render
from tests.walkthrough.scripted import NOTHING, ScriptedMemory, atom

PAGES = {
    "scenes": """\
▣ Billing API  [00000021] version 2
  Work Context
    Billing stays on Express until October 15.
  Core SOP
    - Go route by route.
    - Ask first. (pinned)
  (1 line left out: what it rests on no longer holds, to be rewritten)""",
    "memories": """\
Memories: 3 live, 1 in history
  - Never deploy without approval.  [00000011]
    instruction 95 · 2 receipts · said 2026-06-02 09:04 UTC
  - Billing stays on Express until October 15.  [00000013]
    episodic 50 · billing API · until 2026-10-15 · 1 receipt · said 2026-06-02 09:04 UTC
  - Be brief.  [00000014]
    instruction 70 · only for: in reviews · 1 receipt · time unknown
History
  - Billing stays on Express until July 15.  [00000012]
    superseded by 00000013 · episodic 50 · 1 receipt · said 2026-06-02 09:04 UTC""",
    "rules": """\
Rules at priority 70 or above: 2
  -  95  Never deploy without approval.  [00000011]
  -  70  Be brief. (only for: in reviews)  [00000014]""",
    "rules 90": """\
Rules at priority 90 or above: 1 (default floor 70)
  -  95  Never deploy without approval.  [00000011]""",
    "rules 96": "No rules at priority 96 or above. Lower the floor to see more: rules 48",
    "persona": """\
Persona
  Decision pattern
    Prefers small steps.  [00000041] version 1 · 3 receipts""",
    "l0": """\
Session first
  2026-06-02 09:04 UTC  Alice  [00000051]
    Never deploy
    without my approval.
    (attached) a photo of the rack
  time unknown  Helper (assistant)  [00000052]
    Understood.
    (1 tool call)""",
    "procedure deploy": """\
▣ Deploy a service  [00000071] version 1, approved 2026-06-02 09:04 UTC by Olivia
  Boundary: Until telemetry is calm.
  Use it when
    - A service is to be deployed.
  Procedure
    1. Ask for approval.
    2. Deploy.

▣ Deploy a service  [00000072] version 2, a draft: no agent gets it before a person approves
  Use it when
      A service.
  Procedure
    + Attach a rollback plan.
        feedback [00000063] “attach a rollback plan” (correction from end_user)
    ~ Deploy slowly.
        was: Deploy.
        trace step [00000061] “Asked Alice for approval.” (Deploy billing)
        feedback [00000063] “attach a rollback plan” (correction from end_user)
  Escalation
    - Call Bob.
  left out as details of single tasks: ticket 4711
  procedure approve 00000072   or   procedure reject 00000072 <reason>""",
    "procedure nothing": "No procedure is for that.",
    "forget my old address": """\
▣ Would be erased (1)
  - [00000080] Alice's address is 12 Oak Street. (superseded)
      said in first [00000083]: My address is 12 Oak Street.
      goes with it: Alice likes tea.
      line of a scene: Lived at 12 Oak Street before.
      trait: Moves often.
      summaries written anew: 1
▣ Stays (1)
  - [00000081] Alice's address is 9 Pine Avenue.
      it holds now, and only what is old was meant
In all: messages: 1, atoms: 2
Nothing has been erased yet. To erase it for good, all or without some of it:
forget confirm abc:def [ids to keep]""",
    "forget nothing": "Memory holds nothing about “nothing”.",
    "forget confirm abc:def": "Erased for good: messages: 1, atoms: 1 (erasure 00000082)",
    "l0 other": "No messages in session 'other'.",
    "trace 00000033": """\
L2 line [00000033]  section Core SOP
  Ask first.
rests on
  ├─ L1 atom [00000011]  status live
  │    Never deploy without approval.
  │  └─ L0 message [00000051]  speaker Alice · session first
  │       Never deploy
  │       without my approval.
  └─ outside  kind tool_event
       ticket 4711
is used by
  └─ L3 trait [00000042]  slot decision pattern
       Prefers small steps.""",
    "search deploy": """\
  1  L1 instruction 95: Never deploy without approval.  [00000011] 4.50
       Alice, 2026-06-02 09:04 UTC, first: Never deploy without my approval.
       Alice, 2026-06-02 09:04 UTC, first: Never deploy without my approval.
       Alice, 2026-06-02 09:04 UTC, first: Never deploy without my approval.
       and 2 more messages
  2  L2 Billing API, core sop: Ask first.  [00000021] 2.00
       Then deploy.
  3  L3 decision pattern: Prefers small steps.  [00000041] 1.25
  4  L0 raw Alice, 2026-06-02 09:04 UTC, first: Never deploy  [00000051] 1.00
       without my approval.
  (search by meaning did not answer in time)""",
    "search nothing": """\
Nothing found.
  (no search by meaning)""",
    "recall Deploy.": f"""\
<memseek-recall>
- [95] Never deploy unasked.
</memseek-recall>

## Request
Deploy.

31 tokens: rules 12
sha256 {"0f" * 32}; the first 120 bytes are stable
left out of rules: 2 (budget), 1 (other)""",
    "answer May I deploy on Friday?": """\
“Never deploy without approval.” (Alice) [a1]
rests on
  a1  atom [00000011]  Alice, 2026-06-02 09:04 UTC, first
      Never deploy without approval.
not known: What is quoted does not speak of “Friday”.
(strong did not answer: timeout)""",
    "status": """\
agent.alice-test
  L0 messages  15
  L1 memories  9 live, 11 with history
  L2 scenes    1 live, 2 versions
  L3 traits    1
  waiting      2 for l1_extract, 1 for persona
  parked       nothing
  worker       seen 3 s ago""",
    "help": """\
  say <text>         add a message and watch what it changes
  scenes             list the scenes (L2), one document for each topic
  memories           show the atoms (L1): single claims, replaced ones too
  rules [floor]      show standing rules at or above a priority (70)
  persona            show stable traits (L3)
  recall <task>      show the context that an agent would get for a task
  l0 [session]       replay what was said, word for word (L0)
  trace <id>         follow a record back to its evidence, and up to its uses
  search <words>     find what memory holds, on every layer, with its words
  answer <question>  answer from memory alone, with citations
  procedure [words]  show reviewed procedures and drafts; procedure approve, reject, use, feedback <id>
  forget <words>     list what is meant, for you to confirm; forget confirm <token> [ids to keep] erases it
  status             count the records of each layer, and what waits
  help [command]     show the commands
  quit               leave; the end of input does too""",
    "help rules": "  rules [floor]  show standing rules at or above a priority (70)",
    "quit": "",
    "say Be brief in reviews.": """\
Settled in 1.2 s.
L0  1 message
L1  1 new, 1 changed, 1 known already, 1 left out, 1 parked
    + instruction 70: Be brief.  [00000014] 1 receipt
    = known: Never deploy without approval.  [00000011] now 2 receipts
      repeats a1
    ~ episodic 50: Billing stays on Express until October 15.  [00000013] 1 receipt
      takes the place of: Billing stays on Express until July 15.  [00000012] (value)
    ! left out: No message says it.
    ! parked by l1_extract: Unreadable.  [00000053]
      cut_off: The answer ended early.
L2  1 scene opened, 1 scene rewritten
    ▣ Billing API: version 2
      - Work Context: Billing stays on Express until July 15.
      + Work Context: Billing stays on Express until October 15.
      + Core SOP: Be brief.
      - Open Questions: How brief?
    ▣ Reviews: opened
      + Core SOP: Be brief.
L3  1 trait written
    Decision pattern: Prefers small steps.  [00000041] 3 receipts""",
}


@pytest.mark.parametrize("line", PAGES)
def test_a_page_is_shown_as_text(line: str) -> None:
    assert render(run_line(line, memory=ScriptedMemory(), notice=print)) == PAGES[line]


def test_what_changed_nothing_says_why() -> None:
    memory = ScriptedMemory(changes=NOTHING)
    assert (
        render(run_line("say Hello!", memory=memory, notice=print))
        == """\
Settled in 1.2 s.
L0  1 message
L1  no memory changed: a greeting alone
L2  no scene changed: nothing above it changed
L3  no trait changed: nothing above it changed"""
    )


def test_what_is_not_settled_says_what_waits() -> None:
    said = Said(NOTHING, False, 3.0, ("no worker seen for 40 s", "1 waiting for l1_extract"))
    assert (
        render(said)
        == """\
Not settled.
  no worker seen for 40 s
  1 waiting for l1_extract
L0  1 message
L1  no memory changed: a greeting alone
L2  no scene changed: not reached yet
L3  no trait changed: not reached yet"""
    )


@pytest.mark.parametrize("page", [Scenes(()), Memories(()), Persona(()), Transcript(None, ())])
def test_an_empty_page_says_so(page: Scenes | Memories | Persona | Transcript) -> None:
    assert render(page).startswith("No ")


def test_stored_words_cannot_steer_the_terminal() -> None:
    page = Memories((atom(1, "a\x1b]0;owned\x07b\r\x9bc"),))
    assert "\n  - a�]0;owned�b��c  [00000001]\n" in render(page)


def test_words_of_other_scripts_are_shown_as_they_are() -> None:
    words = "👩‍👩‍👧 שלום עולם 你好"
    assert words in render(Memories((atom(1, words),)))
