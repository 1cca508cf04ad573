package io.viaduct.cnapt.tunnel;

/// What the data path tells of its path; called on its event loop.
public interface DataPathListener {
  /// The SNAPT has answered the first probe after a change of network or a dead path.
  void pathFound(long nowNs);

  /// Too many probes in a row stayed unanswered although the link is up.
  void pathDead();
}
