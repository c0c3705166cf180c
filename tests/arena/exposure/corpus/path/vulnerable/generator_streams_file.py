from flask import Blueprint, current_app, request, Response
import mimetypes

bp = Blueprint('img', __name__)

@bp.route('/image')
def image():
    picture = request.values.get('picture', 'default.png')
    filepath = '{root}/images/{name}'.format(root=current_app.root_path, name=picture)
    mimetype, _ = mimetypes.guess_type(filepath)
    def generate():
        with open(filepath, 'rb') as f:
            while True:
                chunk = f.read(4096)
                if not chunk:
                    break
                yield chunk
    return Response(generate(), mimetype=mimetype or 'application/octet-stream')
