"""Django's own accounts and groups, in the theme. Superusers alone see them; roles are memberships."""

from django.contrib import admin
from django.contrib.auth.admin import GroupAdmin as DjangoGroupAdmin
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.contrib.auth.models import Group, User
from unfold.forms import AdminPasswordChangeForm, UserChangeForm, UserCreationForm

from memory.admin.base import ThemedModelAdmin

admin.site.unregister([User, Group])


@admin.register(User)
class UserAdmin(DjangoUserAdmin, ThemedModelAdmin):  # type: ignore[type-arg]
    """Who may sign in. To do anything here a person is staff and member of a workspace."""

    form = UserChangeForm
    add_form = UserCreationForm
    change_password_form = AdminPasswordChangeForm


@admin.register(Group)
class GroupAdmin(DjangoGroupAdmin, ThemedModelAdmin):
    """Groups of Django; Memseek asks memberships, not groups."""
