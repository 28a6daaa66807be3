
«
Ž
,/job:localhost/replica:0/task:0/device:GPU:0-
a/Conv2DÔ„= (Ba/Conv2D = Conv2D(x, a/w)/
b/MatMulü„= (Bb/MatMul = MatMul(a/Conv2D)
™
,/job:localhost/replica:0/task:0/device:CPU:0
xÀ„= 	(	Bx = Placeholder()!
a/wÂ„= (Ba/w = VariableV2()&
say "hi"Æ„= (Bsay "hi" = Const()

/device:GPU:0/stream:all!
a/Conv2D:Conv2D#id=1#¤…= (
a/Conv2D:Conv2D#id=2#´ˆ= d(d
b/MatMul:MatMul#id=3#ü‰= 2(2
~
/device:GPU:0/stream:14!
a/Conv2D:Conv2D#id=1#¤…= (
a/Conv2D:Conv2D#id=2#´ˆ= d(d
b/MatMul:MatMul#id=3#ü‰= 2(2
;
/device:GPU:0/memcpy#
edge_9_x:MEMCPYHtoD#id=4#Ê„= P(P
>
/device:GPU:0/stream:15#
edge_9_x:MEMCPYHtoD#id=4#Ê„= P(P