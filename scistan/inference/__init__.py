"""The verbs: each composes what lies below it."""
