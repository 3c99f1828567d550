"""Which tests does a change touch?"""
