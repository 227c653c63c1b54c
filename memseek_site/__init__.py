"""The site: settings, servers' entry points and what starts them. It holds no rule of the product.

This file imports nothing: the keeper of the embedded servers lives in this package and starts without Django.
"""

VERSION = "0.1.0"
