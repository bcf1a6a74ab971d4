"""Mutates the syntax tree of an engine: one place, one change."""
import ast

NEGATED = {ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is}
NEAR = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt}


def changes(node):
    """Yields (name, function that changes the node in place) for each mutation of a node."""
    if isinstance(node, (ast.If, ast.While, ast.IfExp)):
        yield "negate", lambda: setattr(node, "test", ast.UnaryOp(ast.Not(), node.test))
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        for table, name in ((NEGATED, "negate"), (NEAR, "off by one")):
            if type(node.ops[0]) in table:
                yield name, lambda table=table: setattr(node, "ops", [table[type(node.ops[0])]()])
    if isinstance(node, ast.BoolOp):
        other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        yield "swap and/or", lambda: setattr(node, "op", other)
        for i in range(len(node.values)):
            yield "drop operand %d" % i, lambda i=i: node.values.pop(i)
    if isinstance(node, ast.Constant) and type(node.value) is int:
        yield "off by one", lambda: setattr(node, "value", node.value + 1)
    for name in ("body", "orelse"):
        block = getattr(node, name, None)
        for i, s in enumerate(block if isinstance(block, list) else []):
            if isinstance(node, (ast.Module, ast.ClassDef)) or isinstance(s, (ast.FunctionDef, ast.Return, ast.Import)):
                continue
            if isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant):
                continue  # a docstring
            check = isinstance(s, ast.Expr) and isinstance(s.value, ast.Call) and getattr(s.value.func, "id", "") == "need"
            yield "drop check" if check else "drop statement", lambda b=block, i=i: b.__setitem__(i, ast.Pass())


def places(source):
    """Lists (line, name) of all mutations, in a fixed order."""
    return [(getattr(n, "lineno", 0), name) for n in ast.walk(ast.parse(source)) for name, _ in changes(n)]


def mutate(source, chosen):
    """Returns the source with the mutations of these numbers; a later one may undo an earlier one."""
    tree, acts = ast.parse(source), []
    for node in ast.walk(tree):
        acts += [act for _, act in changes(node)]
    for k in chosen:
        try:
            acts[k]()
        except IndexError:
            pass
    return ast.unparse(ast.fix_missing_locations(tree))
