"""Parts of dialects that are too large for one file; the dialects' own files list them."""
