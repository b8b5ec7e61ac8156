"""The tools that the dimension's scenarios are played against."""
