package io.viaduct.cnapt;

import io.viaduct.cnapt.control.ControlClient;
import io.viaduct.cnapt.tunnel.DataPathListener;
import io.viaduct.cnapt.tunnel.LeftPath;
import io.viaduct.tunnel.path.Carrier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Follows the paths to one other end: their events are recorded, and a control connection by a
/// silent path is exchanged for another one. Called on the data loop.
final class PathEvents implements DataPathListener {
  /// Hears of what concerns more than the paths.
  interface Owner {
    /// Called for the first answer after a change of network or a dead path.
    void pathFound();

    /// Called when nothing arrives by any path, although a link is up.
    void pathDead();

    /// Called when the last flow of a SNAPT that is about to stop has ended.
    default void emptied() {}
  }

  private static final Logger LOG = LoggerFactory.getLogger(PathEvents.class);

  private final HandoverRecorder recorder;
  private final Supplier<@Nullable ControlClient> client;
  private final Owner owner;

  /// @param client returns the control client; null at an end that does not connect
  PathEvents(HandoverRecorder recorder, Supplier<@Nullable ControlClient> client, Owner owner) {
    this.recorder = recorder;
    this.client = client;
    this.owner = owner;
  }

  @Override
  public void pathFound(long nowNs) {
    owner.pathFound();
    recorder.pathFound(nowNs);
  }

  @Override
  public void pathLeft(LeftPath left) {
    recorder.pathLeft(left);
    ControlClient connecting = client.get();
    if (connecting != null) {
      connecting.pathSilent(left.link(), left.remote());
    }
  }

  @Override
  public void pathDead() {
    owner.pathDead();
    ControlClient connecting = client.get();
    if (connecting != null) {
      connecting.pathDead();
    }
  }

  @Override
  public void trafficMoved(String cause, String from, String to, boolean isToBeAnswered) {
    recorder.trafficMoved(cause, from, to, isToBeAnswered);
  }

  @Override
  public void probesStopped(int path, String name, long silenceNs) {
    LOG.warn(
        "the watchdog of path {} ({}) has fired: no probe for {} ms",
        path,
        name,
        silenceNs / 1_000_000);
  }

  @Override
  public void addressLost(String address, @Nullable String why) {
    LOG.warn("the address {} of peer.listen cannot be used now: {}", address, why);
  }

  @Override
  public void emptied() {
    owner.emptied();
  }

  @Override
  public void carrierChanged(Carrier to, long silentNs) {
    recorder.carrierChanged(to, silentNs);
  }

  @Override
  public void carrierResumed(long afterNs) {
    recorder.carrierResumed(afterNs);
  }
}
