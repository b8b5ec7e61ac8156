"""The tools of the dimension's scenarios."""
