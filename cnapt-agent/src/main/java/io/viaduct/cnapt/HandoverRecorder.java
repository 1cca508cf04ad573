package io.viaduct.cnapt;

import io.viaduct.cnapt.mobility.CarrierLog;
import io.viaduct.cnapt.mobility.Handover;
import io.viaduct.cnapt.mobility.HandoverLog;
import io.viaduct.cnapt.tunnel.LeftPath;
import io.viaduct.tunnel.path.Carrier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Records the hand-overs of an agent and the changes of its carrier with their times, and logs
/// them. Called on the data loop; any thread may read the two logs.
final class HandoverRecorder {
  private static final Logger LOG = LoggerFactory.getLogger(HandoverRecorder.class);

  private final AgentClock clock;
  private final HandoverLog handovers = new HandoverLog();
  private final CarrierLog carriers;

  HandoverRecorder(AgentClock clock) {
    this.clock = clock;
    this.carriers = new CarrierLog(clock.wall());
  }

  HandoverLog handovers() {
    return handovers;
  }

  CarrierLog carriers() {
    return carriers;
  }

  /// Records that packets leave from another local address.
  ///
  /// @param cause as in [io.viaduct.cnapt.mobility.NetworkWatch.Listener#moved]
  void networkMoved(String cause, String from, String to) {
    begun(cause, from, to);
    LOG.info("handover by {}: {} -> {}", cause, from, to);
  }

  /// Records the first answer after a change of network or a dead path.
  void pathFound(long nowNs) {
    Handover done = handovers.answered(nowNs);
    if (done != null) {
      LOG.info("handover done: {} -> {} in {} ms", done.from(), done.to(), done.outageMs());
    }
  }

  /// Records that traffic leaves a path because nothing arrives by it.
  void pathLeft(LeftPath left) {
    LOG.warn("nothing arrives by {}, which is up: packets leave by {}", left.name(), left.to());
    begun("silence", left.name(), left.to());
  }

  /// Records that nothing arrives by any path.
  ///
  /// @param here description of the network
  void pathDead(String here) {
    begun("path_dead", here, here);
  }

  /// See [io.viaduct.cnapt.tunnel.DataPathListener#trafficMoved].
  void trafficMoved(String cause, String from, String to, boolean isToBeAnswered) {
    if (isToBeAnswered) {
      begun(cause, from, to);
    } else {
      handovers.moved(clock.instant(), clock.nowNs(), cause, from, to);
    }
  }

  private void begun(String cause, String from, String to) {
    handovers.begun(clock.instant(), clock.nowNs(), cause, from, to);
  }

  /// See [io.viaduct.cnapt.tunnel.DataPathListener#carrierChanged].
  void carrierChanged(Carrier to, long silentNs) {
    carriers.changed(to, silentNs);
  }

  /// See [io.viaduct.cnapt.tunnel.DataPathListener#carrierResumed].
  void carrierResumed(long afterNs) {
    carriers.resumed(afterNs);
  }
}
