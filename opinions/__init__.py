"""What operators do, said a second time from the documents; README.md says how."""
