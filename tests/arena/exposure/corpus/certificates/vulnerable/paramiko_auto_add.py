import paramiko


def run(host, user, key_file, command):
    client = paramiko.SSHClient()
    client.load_system_host_keys()
    client.set_missing_host_key_policy(paramiko.AutoAddPolicy())
    client.connect(host, username=user, key_filename=key_file)
    _, stdout, _ = client.exec_command(command)
    return stdout.read()
