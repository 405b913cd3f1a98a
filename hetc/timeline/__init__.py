"""What happened when: the events of a profile, as a table, as a trace, and as a picture."""
