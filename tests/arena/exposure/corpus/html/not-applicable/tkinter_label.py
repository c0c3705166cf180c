import tkinter as tk


def hello():
    label.config(text="Hello " + entry.get())


root = tk.Tk()
entry = tk.Entry(root)
entry.pack()
tk.Button(root, text="Greet", command=hello).pack()
label = tk.Label(root)
label.pack()
root.mainloop()
