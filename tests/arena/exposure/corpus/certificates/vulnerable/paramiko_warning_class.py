from paramiko.client import SSHClient, WarningPolicy


def open_client(host):
    ssh = SSHClient()
    ssh.set_missing_host_key_policy(WarningPolicy)
    ssh.connect(hostname=host)
    return ssh
