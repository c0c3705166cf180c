class Driver:
    def detach(self, volume):
        return self._run_ssh("svctask rmvdisk %s" % volume)
