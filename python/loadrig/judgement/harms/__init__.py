"""What is wrong with a trial, if anything, before anybody asks why."""
