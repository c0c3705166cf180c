import ipaddress, subprocess
from flask import Flask, request
app = Flask(__name__)

def is_ip(h):
    try:
        ipaddress.ip_address(h)
        return True
    except ValueError:
        return False

@app.route('/ping')
def ping():
    host = request.args.get('host')
    ok = is_ip(host)
    print('valid address: %s' % ok)
    return subprocess.check_output('ping -c 1 %s' % host, shell=True)
