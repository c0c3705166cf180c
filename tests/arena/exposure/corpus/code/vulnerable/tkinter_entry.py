import tkinter as tk


def compute():
    try:
        result.set(eval(entry.get()))
    except Exception:
        result.set("error")


root = tk.Tk()
entry = tk.Entry(root)
entry.pack()
result = tk.StringVar()
tk.Button(root, text="=", command=compute).pack()
root.mainloop()
