from OpenSSL import SSL


def made():
    context = SSL.Context(SSL.TLS_CLIENT_METHOD)
    context.set_default_verify_paths()
    context.set_verify(SSL.VERIFY_PEER, lambda *given: given[-1])
    return context
