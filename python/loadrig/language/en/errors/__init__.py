"""Words of errors in English, a file for each room or part of one."""
