"""Drawing of arrays: axes, colours, and the plots that results of every layer offer as methods.

`statlearn.plot` publishes these names beside the displays, which compute with the families what they draw.
"""
