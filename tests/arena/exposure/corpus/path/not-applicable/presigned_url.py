from flask import Flask, request, redirect
import boto3
app = Flask(__name__)
s3 = boto3.client("s3")
@app.route("/image")
def image():
    url = s3.generate_presigned_url("get_object", Params={"Bucket": "images", "Key": request.args["picture"]}, ExpiresIn=60)
    return redirect(url)
