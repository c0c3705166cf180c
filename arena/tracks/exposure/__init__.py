"""The track `exposure`: how severe, how likely and how easily triggered is what a model writes insecurely?

After *From Model to Breach*, whose Prompt Exposure and Model Exposure it computes.
"""
