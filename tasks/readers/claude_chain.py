"""The tree of parents in a Claude Code log -> the active branch, and what is broken in it. No recursion, every walk ends."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

from tasks.domain.seen import SeenItem, SeenRecord
from tasks.readers import branches


@dataclass(slots=True, eq=False)
class Link:
    """One record of the tree. Links run through records of every type that has a uuid, not only through messages."""

    order: int
    """Position in the file."""
    uuid: str | None
    parent: str | None
    logical_parent: str | None
    """Where a compaction boundary, a root by itself, continues from."""
    group: str
    """Main conversation, or one sub-agent: branches never cross."""
    session_id: str
    type: str
    record: SeenRecord
    key: str = ""
    """Names the record in the ids of its items."""
    message_id: str | None = None
    is_prompt: bool = False
    is_aside: bool = False
    """Injected text: stands on a branch, never decides one."""
    items: list[SeenItem] = field(default_factory=list)
    call_ids: list[str] = field(default_factory=list)
    result_ids: list[str] = field(default_factory=list)


class Chain:
    """All links of one file."""

    def __init__(self, links: Sequence[Link]) -> None:
        self._links = links
        self.by_uuid = {link.uuid: link for link in links if link.uuid is not None}
        self._groups: dict[str, list[Link]] = {}
        for link in links:
            self._groups.setdefault(link.group, []).append(link)

    def mark_active(self, leaf_uuid: str | None) -> None:
        """Marks the active branch of every group. `leaf_uuid`: the leaf that the log names for its main conversation.

        Links that no intact parent ties to the rest form islands. Each island keeps its own active branch, in file order: only
        a branch that hangs on the same tree as a later one was left by the person.
        """
        named = self.by_uuid.get(leaf_uuid) if leaf_uuid else None
        on_path = set[int]()
        for links in self._groups.values():
            line = set[int]()
            for island in self._islands(links):
                self._walk(self._leaf(island, named), line)
            self._add_companions(links, line)
            on_path |= line
        for link in self._links:
            for item in link.items:
                item.on_path = link.order in on_path
        if len(on_path) < len(self._links):
            self._name_branches(on_path)

    def _name_branches(self, on_path: set[int]) -> None:
        """A branch that was left has a line of its own, found as the active one is."""

        def line(group: Sequence[int]) -> set[int]:
            links, found = [self._links[no] for no in group], set[int]()
            self._walk(self._leaf(links, None), found, on_path)
            self._add_companions(links, found)
            return found

        above = ((self._parent(link), link) for link in self._links)
        nodes = [branches.Node(parent.order if parent else None, link.items) for parent, link in above]
        branches.mark(nodes, on_path, line)

    def _parent(self, link: Link) -> Link | None:
        parent = self.by_uuid.get(link.parent) if link.parent else None
        if parent is None and link.logical_parent:
            parent = self.by_uuid.get(link.logical_parent)
        return parent if parent is not None and parent.group == link.group else None

    def _leaf(self, island: list[Link], named: Link | None) -> Link:
        """The last link below the named one, if that is on this island; else the island's last."""
        below = {named.order} if named is not None else set()
        last = named if any(link is named for link in island) else None
        candidates = [link for link in island if link.type != "progress"] or island
        if last is None:
            return candidates[-1]
        for link in candidates:
            parent = self._parent(link)
            if parent is not None and parent.order in below:
                below.add(link.order)
                last = link
        return last

    def _islands(self, links: list[Link]) -> list[list[Link]]:
        """The links of a group by the root that their parents lead to; a cycle counts as the root of all that leads into it."""
        root_of: dict[int, int] = {}
        islands: dict[int, list[Link]] = {}
        for start in links:
            trail: list[int] = []
            link: Link | None = start
            root = start.order
            while link is not None:
                if link.order in root_of:
                    root = root_of[link.order]
                    break
                root = root_of[link.order] = link.order
                trail.append(link.order)
                link = self._parent(link)
            root_of.update(dict.fromkeys(trail, root))
            islands.setdefault(root, []).append(start)
        return list(islands.values())

    def _walk(self, leaf: Link, line: set[int], until: Collection[int] = ()) -> None:
        """Adds a link and all that it goes on from."""
        link: Link | None = leaf
        while link is not None and link.order not in line and link.order not in until:
            line.add(link.order)
            link = self._parent(link)

    def _add_companions(self, links: list[Link], line: set[int]) -> None:
        """What hangs beside the walked line and belongs to it: blocks of the same answer, parallel results, attachments."""
        messages = {link.message_id for link in links if link.order in line and link.message_id}
        calls = {call for link in links if link.order in line for call in link.call_ids}
        for link in links:
            if link.order in line:
                continue
            parent = self._parent(link)
            hangs = parent is not None and parent.order in line
            if link.message_id in messages or (hangs and link.is_aside) or any(call in calls for call in link.result_ids):
                line.add(link.order)
                calls.update(link.call_ids)

    def mark_preserved(self, metadata: dict[str, Any]) -> None:
        """Flags the items that a compaction kept word for word: they stand before it and belong behind its summary."""
        messages, segment = metadata.get("preservedMessages"), metadata.get("preservedSegment")
        kept: set[str] = set()
        if isinstance(messages, dict) and isinstance(messages.get("uuids"), list):
            kept.update(uuid for uuid in messages["uuids"] if isinstance(uuid, str))
        if isinstance(segment, dict):
            head, link = segment.get("headUuid"), self.by_uuid.get(str(segment.get("tailUuid")))
            while link is not None and link.uuid is not None and link.uuid not in kept:
                kept.add(link.uuid)
                link = self._parent(link) if link.uuid != head else None
        for uuid in kept & self.by_uuid.keys():
            for item in self.by_uuid[uuid].items:
                if "preserved" not in item.flags:
                    item.flags += ("preserved",)

    def mark_broken(self) -> set[str]:
        """Flags records whose place in the tree is odd, and gives the sessions whose chain is broken.

        `self_parent`, `parent_cycle` (each record of it), `dangling_parent` (not for a session's first record, which may
        continue another file); not broken: `branch_point` (two or more prompts answer this record), `extra_root` (a later
        prompt without a parent: a rewind to the start, or a chain that the program did not link).
        """
        broken: set[str] = set()
        begun: set[str] = set()
        prompts: dict[str, int] = {}
        for link in self._links:
            if link.parent is not None:
                if link.parent == link.uuid:
                    _flag(link, "self_parent", broken)
                elif link.parent not in self.by_uuid and link.session_id in begun:
                    _flag(link, "dangling_parent", broken)
                elif link.is_prompt:
                    prompts[link.parent] = prompts.get(link.parent, 0) + 1
            elif link.is_prompt and link.uuid and not link.logical_parent and link.session_id in begun:
                link.record.flags += ("extra_root",)
            begun.add(link.session_id)
        for link in self._cyclic():
            _flag(link, "parent_cycle", broken)
        for uuid, count in prompts.items():
            if count > 1 and uuid in self.by_uuid:
                self.by_uuid[uuid].record.flags += ("branch_point",)
        return broken

    def _cyclic(self) -> list[Link]:
        """Records that reach themselves over two or more parents."""
        found: list[Link] = []
        walked_by: dict[str | None, int] = {}
        for start in self._links:
            link: Link | None = start
            trail: list[Link] = []
            while link is not None and link.uuid is not None and link.uuid not in walked_by:
                walked_by[link.uuid] = start.order
                trail.append(link)
                link = self.by_uuid.get(link.parent) if link.parent and link.parent != link.uuid else None
            if link is not None and walked_by.get(link.uuid) == start.order and link in trail:
                found.extend(trail[trail.index(link) :])
        return found


def _flag(link: Link, flag: str, broken: set[str]) -> None:
    link.record.flags += (flag,)
    broken.add(link.session_id)
