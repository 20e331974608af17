//! One kind of one cluster: a slab of rows in chunks, an index by name, and the rows of each owner as linked lists.
//!
//! Chunks mean that growing never copies the table; small tables stay small, because a chunk grows to its full size only
//! as it fills. A row keeps its slot while it lives; a slot that is used again has another generation.

use std::{collections::BTreeMap, hash::BuildHasher, sync::Arc};

use hashbrown::{DefaultHashBuilder, HashTable};

use super::row::Row;
use crate::model::{Secs, Uid};

/// Slots in a full chunk.
const CHUNK: usize = 256;
/// "No slot" in links.
const NONE: u32 = u32::MAX;

/// What is kept beside a row.
#[derive(Clone, Copy, Debug)]
struct Meta {
    /// Counts the uses of the slot, so that an old [`super::RowRef`] is told from the slot's new row.
    generation: u8,
    /// The row comes from the disk snapshot.
    restored: bool,
    /// List during which the row was last seen.
    mark: u16,
    /// When it was last received.
    at: Secs,
    /// Next row of the same owner, or the next free slot.
    next: u32,
    /// Previous row of the same owner.
    prev: u32,
}

#[derive(Debug, Default)]
struct Chunk {
    rows: Vec<Option<Row>>,
    meta: Vec<Meta>,
}

/// What an upsert did.
#[derive(Debug)]
pub(super) struct Put {
    /// Place of the row: slot and generation.
    pub(super) slot: u32,
    /// False when the row was there already, exactly so (or was not taken because it is only restored).
    pub(super) changed: bool,
    /// The row that was replaced.
    pub(super) old: Option<Row>,
}

/// Rows of one kind in one cluster.
#[derive(Debug)]
pub(super) struct Table {
    chunks: Vec<Chunk>,
    index: HashTable<u32>,
    owners: HashTable<u32>,
    spaces: BTreeMap<Arc<str>, u32>,
    hasher: DefaultHashBuilder,
    free: u32,
    len: u32,
    epoch: u16,
    newest: Secs,
}

impl Default for Table {
    fn default() -> Self {
        Self {
            chunks: Vec::new(),
            index: HashTable::new(),
            owners: HashTable::new(),
            spaces: BTreeMap::new(),
            hasher: DefaultHashBuilder::default(),
            free: NONE,
            len: 0,
            epoch: 0,
            newest: Secs(0),
        }
    }
}

fn split(slot: u32) -> (u32, u8) {
    (slot >> 8, (slot & 0xff) as u8)
}

fn owner_of(row: &Row) -> Uid {
    row.owner.as_ref().map_or(Uid(0), |o| o.uid)
}

fn row_in(chunks: &[Chunk], at: u32) -> Option<&Row> {
    chunks.get(at as usize / CHUNK)?.rows.get(at as usize % CHUNK)?.as_ref()
}

impl Table {
    /// Number of rows.
    pub(super) fn len(&self) -> usize {
        self.len as usize
    }

    /// Number of rows in a namespace.
    pub(super) fn len_in(&self, namespace: &str) -> usize {
        self.spaces.get(namespace).map_or(0, |n| *n as usize)
    }

    fn meta(&self, at: u32) -> Option<&Meta> {
        self.chunks.get(at as usize / CHUNK)?.meta.get(at as usize % CHUNK)
    }

    fn meta_mut(&mut self, at: u32) -> Option<&mut Meta> {
        self.chunks.get_mut(at as usize / CHUNK)?.meta.get_mut(at as usize % CHUNK)
    }

    fn pack(&self, at: u32) -> u32 {
        (at << 8) | u32::from(self.meta(at).map_or(0, |m| m.generation))
    }

    /// The row at a place; `None` when it is gone.
    pub(super) fn get(&self, slot: u32) -> Option<&Row> {
        let (at, generation) = split(slot);
        let chunk = self.chunks.get(at as usize / CHUNK)?;
        let within = at as usize % CHUNK;
        if chunk.meta.get(within)?.generation != generation {
            return None;
        }
        chunk.rows.get(within)?.as_ref()
    }

    /// When the row was last received.
    pub(super) fn received(&self, slot: u32) -> Secs {
        self.meta(split(slot).0).map_or(Secs(0), |m| m.at)
    }

    /// When a row of the table was last received.
    pub(super) fn newest(&self) -> Secs {
        self.newest
    }

    /// True when the row comes from the disk snapshot.
    pub(super) fn is_restored(&self, slot: u32) -> bool {
        self.meta(split(slot).0).is_some_and(|m| m.restored)
    }

    /// True when the row was seen since the last list began.
    pub(super) fn is_seen(&self, slot: u32) -> bool {
        self.meta(split(slot).0).is_some_and(|m| !m.restored && m.mark == self.epoch)
    }

    /// Place of a name.
    pub(super) fn find(&self, namespace: &str, name: &str) -> Option<u32> {
        let at = *self.index.find(self.hasher.hash_one((namespace, name)), |at| {
            row_in(&self.chunks, *at).is_some_and(|r| r.name == name && r.ns() == namespace)
        })?;
        Some(self.pack(at))
    }

    /// All rows with their places.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u32, &Row)> {
        self.from(0).map(|(_, slot, row)| (slot, row))
    }

    /// Rows from a slot number on: slot number, place, row. Lets a long walk stop and go on.
    pub(super) fn from(&self, start: u32) -> impl Iterator<Item = (u32, u32, &Row)> {
        let first = start as usize / CHUNK;
        self.chunks.iter().enumerate().skip(first).flat_map(move |(c, chunk)| {
            let skip = if c == first { start as usize % CHUNK } else { 0 };
            chunk.rows.iter().zip(&chunk.meta).enumerate().skip(skip).filter_map(move |(i, (row, meta))| {
                let at = u32::try_from(c * CHUNK + i).unwrap_or(NONE);
                row.as_ref().map(|row| (at, (at << 8) | u32::from(meta.generation), row))
            })
        })
    }

    /// Rows whose controlling owner has this uid, in no particular order.
    pub(super) fn owned(&self, owner: Uid) -> impl Iterator<Item = (u32, &Row)> {
        let mut next = self.head(owner).unwrap_or(NONE);
        std::iter::from_fn(move || {
            let at = next;
            let row = row_in(&self.chunks, at)?;
            next = self.meta(at).map_or(NONE, |m| m.next);
            Some((self.pack(at), row))
        })
    }

    fn head(&self, owner: Uid) -> Option<u32> {
        if owner == Uid(0) {
            return None;
        }
        self.owners
            .find(self.hasher.hash_one(owner), |at| row_in(&self.chunks, *at).is_some_and(|r| owner_of(r) == owner))
            .copied()
    }

    /// Puts a row in, replacing the one of the same name. A restored row never replaces anything.
    pub(super) fn put(&mut self, row: Row, at: Secs, restored: bool) -> Put {
        self.newest = self.newest.max(at);
        if let Some(slot) = self.find(row.ns(), &row.name) {
            return self.replace(slot, row, at, restored);
        }
        let place = self.take_slot();
        let hash = self.hasher.hash_one((row.ns(), row.name.as_str()));
        let epoch = self.epoch;
        if let Some(meta) = self.meta_mut(place) {
            *meta = Meta { generation: meta.generation, restored, mark: epoch, at, next: NONE, prev: NONE };
        }
        if let Some(space) = &row.namespace {
            match self.spaces.get_mut(space) {
                Some(n) => *n += 1,
                None => drop(self.spaces.insert(Arc::clone(space), 1)),
            }
        }
        self.set_row(place, Some(row));
        let (chunks, hasher) = (&self.chunks, &self.hasher);
        self.index.insert_unique(hash, place, |at| {
            row_in(chunks, *at).map_or(0, |r| hasher.hash_one((r.ns(), r.name.as_str())))
        });
        self.link(place);
        self.len += 1;
        Put { slot: self.pack(place), changed: true, old: None }
    }

    fn replace(&mut self, slot: u32, row: Row, at: Secs, restored: bool) -> Put {
        let place = split(slot).0;
        if restored {
            return Put { slot, changed: false, old: None };
        }
        let epoch = self.epoch;
        let was_restored = self.meta(place).is_some_and(|m| m.restored);
        if let Some(meta) = self.meta_mut(place) {
            (meta.restored, meta.mark, meta.at) = (false, epoch, at);
        }
        let Some(old) = row_in(&self.chunks, place) else { return Put { slot, changed: false, old: None } };
        // A list names every object again: what is the same stays, with its shared parts.
        if old.version == row.version && *old == row {
            return Put { slot, changed: was_restored, old: was_restored.then_some(row) };
        }
        let moved = owner_of(old) != owner_of(&row);
        if moved {
            self.unlink(place);
        }
        let old = self.set_row(place, Some(row));
        if moved {
            self.link(place);
        }
        Put { slot, changed: true, old }
    }

    fn set_row(&mut self, at: u32, row: Option<Row>) -> Option<Row> {
        let cell = self.chunks.get_mut(at as usize / CHUNK)?.rows.get_mut(at as usize % CHUNK)?;
        std::mem::replace(cell, row)
    }

    fn take_slot(&mut self) -> u32 {
        if self.free != NONE {
            let at = self.free;
            self.free = self.meta(at).map_or(NONE, |m| m.next);
            return at;
        }
        if self.chunks.last().is_none_or(|c| c.rows.len() == CHUNK) {
            self.chunks.push(Chunk::default());
        }
        let before = (self.chunks.len() - 1) * CHUNK;
        let Some(chunk) = self.chunks.last_mut() else { return NONE };
        let len = chunk.rows.len();
        if len == chunk.rows.capacity() {
            // A chunk grows by half, the copy is bounded by its size.
            let more = (len / 2).clamp(4, CHUNK - len);
            chunk.rows.reserve_exact(more);
            chunk.meta.reserve_exact(more);
        }
        chunk.rows.push(None);
        chunk.meta.push(Meta { generation: 0, restored: false, mark: 0, at: Secs(0), next: NONE, prev: NONE });
        u32::try_from(before + len).unwrap_or(NONE)
    }

    /// Takes a row out by name: its place and the row.
    pub(super) fn remove(&mut self, namespace: &str, name: &str) -> Option<(u32, Row)> {
        let slot = self.find(namespace, name)?;
        Some((slot, self.remove_slot(slot)?))
    }

    fn remove_slot(&mut self, slot: u32) -> Option<Row> {
        let place = split(slot).0;
        self.unlink(place);
        let row = row_in(&self.chunks, place)?;
        let hash = self.hasher.hash_one((row.ns(), row.name.as_str()));
        if let Ok(entry) = self.index.find_entry(hash, |at| *at == place) {
            entry.remove();
        }
        let row = self.set_row(place, None)?;
        let free = self.free;
        if let Some(meta) = self.meta_mut(place) {
            meta.generation = meta.generation.wrapping_add(1);
            meta.next = free;
        }
        self.free = place;
        self.len -= 1;
        if let Some(space) = &row.namespace
            && let Some(n) = self.spaces.get_mut(space)
        {
            *n -= 1;
            if *n == 0 {
                self.spaces.remove(space);
            }
        }
        Some(row)
    }

    /// A list begins: what it does not name is swept by [`Table::list_done`].
    pub(super) fn list_begin(&mut self) {
        self.epoch = self.epoch.wrapping_add(1);
    }

    /// The list is complete: takes out every row that it did not name, restored ones included.
    pub(super) fn list_done(&mut self) -> Vec<(u32, Row)> {
        let unseen: Vec<u32> = self.iter().map(|(slot, _)| slot).filter(|slot| !self.is_seen(*slot)).collect();
        let gone = unseen.into_iter().filter_map(|slot| Some((slot, self.remove_slot(slot)?))).collect();
        self.compact();
        gone
    }

    /// Gives the indexes' memory back when a big table became small. Slots stay: their generations must be remembered.
    fn compact(&mut self) {
        if self.len() * 4 < self.index.capacity() {
            let (chunks, hasher) = (&self.chunks, &self.hasher);
            self.index
                .shrink_to_fit(|at| row_in(chunks, *at).map_or(0, |r| hasher.hash_one((r.ns(), r.name.as_str()))));
            self.owners.shrink_to_fit(|at| row_in(chunks, *at).map_or(0, |r| hasher.hash_one(owner_of(r))));
        }
    }

    /// Puts a row into its owner's list, behind the head, so that the head's entry stays as it is.
    fn link(&mut self, place: u32) {
        let Some(owner) = row_in(&self.chunks, place).map(owner_of).filter(|o| *o != Uid(0)) else { return };
        // The head is looked for among linked rows only: `place` itself is not in the table of heads yet.
        let Some(head) = self.head(owner) else {
            let hash = self.hasher.hash_one(owner);
            let (chunks, hasher) = (&self.chunks, &self.hasher);
            self.owners
                .insert_unique(hash, place, |at| row_in(chunks, *at).map_or(0, |r| hasher.hash_one(owner_of(r))));
            return;
        };
        let second = self.meta(head).map_or(NONE, |m| m.next);
        if let Some(meta) = self.meta_mut(place) {
            (meta.prev, meta.next) = (head, second);
        }
        if let Some(meta) = self.meta_mut(head) {
            meta.next = place;
        }
        if let Some(meta) = self.meta_mut(second) {
            meta.prev = place;
        }
    }

    fn unlink(&mut self, place: u32) {
        let Some(owner) = row_in(&self.chunks, place).map(owner_of).filter(|o| *o != Uid(0)) else { return };
        let Some((prev, next)) = self.meta(place).map(|m| (m.prev, m.next)) else { return };
        if let Some(meta) = self.meta_mut(next) {
            meta.prev = prev;
        }
        if let Some(meta) = self.meta_mut(prev) {
            meta.next = next;
        } else if let Ok(mut entry) = self.owners.find_entry(self.hasher.hash_one(owner), |at| *at == place) {
            // It is the head: the next one takes its place, or the owner has no rows any more.
            if next == NONE {
                entry.remove();
            } else {
                *entry.get_mut() = next;
            }
        }
        if let Some(meta) = self.meta_mut(place) {
            (meta.prev, meta.next) = (NONE, NONE);
        }
    }
}
