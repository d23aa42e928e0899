"""What a call will cost before it is made: the work, the machine, what was learnt, and the plan that follows."""
