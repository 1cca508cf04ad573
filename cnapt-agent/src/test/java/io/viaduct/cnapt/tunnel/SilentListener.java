package io.viaduct.cnapt.tunnel;

import io.viaduct.tunnel.path.Carrier;

/// Ignores the events of an end, where a test looks elsewhere.
final class SilentListener implements DataPathListener {
  @Override
  public void pathFound(long nowNs) {}

  @Override
  public void pathLeft(LeftPath left) {}

  @Override
  public void pathDead() {}

  @Override
  public void carrierChanged(Carrier to, long silentNs) {}

  @Override
  public void carrierResumed(long afterNs) {}
}
