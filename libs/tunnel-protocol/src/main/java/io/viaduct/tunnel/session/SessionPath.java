package io.viaduct.tunnel.session;

import io.viaduct.tunnel.compound.PacketEncoder;
import io.viaduct.tunnel.pacing.TrainRun;
import io.viaduct.tunnel.path.Candidate;
import io.viaduct.tunnel.path.LossEstimate;
import io.viaduct.tunnel.path.PathLoss;
import io.viaduct.tunnel.path.PathMtuSearch;
import io.viaduct.tunnel.path.ProbeExchange;
import io.viaduct.tunnel.scheduling.ClassQueues;
import io.viaduct.tunnel.wire.LinkName;
import io.viaduct.tunnel.wire.PathMeasurement;
import io.viaduct.tunnel.wire.PathMessage;
import io.viaduct.tunnel.wire.ServiceClass;
import org.jspecify.annotations.Nullable;

/// One path of a session at this end: what was measured on it, and what waits to leave by it.
///
/// Packets are encoded for a path, because its size bounds their compounds. They are sealed when
/// they leave, so a compound that waits can still leave by another path.
final class SessionPath {
  /// Delay that stands for the loss of everything.
  static final double LOSS_US = 1_000_000;

  /// Wait of a flow's class above which its path is full, and another path may take the flow: less
  /// than the queue that [io.viaduct.tunnel.scheduling.DelayControl] leaves to a bulk flow.
  private static final long FULL_NS = 10_000_000;

  final int id;
  final PathBudget budget;
  final PathMtuSearch mtu;
  final ClassQueues queues;
  final SessionPacing pacing;
  final ClassCompounds compounds;
  final PacketEncoder encoder;
  final PacketSizes sizes;
  final DatagramWriter datagrams;
  final PathMessages messages;
  final CopyQueue copies;

  /// Bursts that a lost path may have lost; they leave before all else.
  final CopyQueue repeats;

  final RecentBursts recent;
  final ProbeExchange probes = new ProbeExchange();

  /// Loss of the direction from here.
  final PathLoss loss = new PathLoss();

  /// Loss of the direction to here.
  final LossEstimate lossToHere = new LossEstimate();

  /// The round trip that the prober shares; at the device its own measurement counts.
  double sharedRoundTripUs = Double.NaN;

  /// The prober's clock minus ours, as it shares it; at the device its own measurement counts.
  double sharedOffsetUs = Double.NaN;

  /// The usual round trip that the prober shares.
  private double sharedUsualRoundTripUs = Double.NaN;

  /// The rate of the prober's datagrams, as it shares it, in bit/s; 0 before.
  double peerBitPerSecond;

  /// True while this end has left the path by its own finding, whatever the device decides.
  boolean silent;

  /// Bytes of the packets that were given to this path.
  long offeredBytes;

  /// Highest number of a probe that has arrived by this path, −1 before the first.
  long probeNumber = -1;

  /// Number of networks under the path so far; what was known of one says nothing about the next.
  int network;

  /// Number of the search for the path's size; answers to an earlier one do not count.
  int mtuRun;

  /// Run of the padded message behind the first probe since the path changed, −1 before it.
  int payingRun = -1;

  /// True until the path has answered by UDP for the first time since it changed.
  boolean unknown = true;

  /// True while the path loses what leaves here, see [PathChoice].
  boolean losing;

  /// True while the path loses so much that a TCP connection stands nearly still.
  boolean bad;

  /// End of the time in which nothing is sent to the path's address, because the device has said
  /// that it moves. Long.MAX_VALUE at other times.
  long movingUntilNs = Long.MAX_VALUE;

  /// A new address of the path that has not answered yet, which gets copies; null without one.
  @Nullable Candidate candidate;

  /// Time before which the path does not wait for another move.
  long stayNs = Long.MIN_VALUE;

  /// The device's link of the path, [LinkName#UNKNOWN] until it is told.
  String link = LinkName.UNKNOWN;

  /// Number of the first probe that tells the link, at the device; −1 if none needs to.
  private int linkFrom = -1;

  /// Trials of this path, null before the first data, and without the feature PATH_TRIALS.
  @Nullable PathTrials trials;

  /// Use of this path, which the device decides for both ends.
  PathUse use = PathUse.NO;

  SessionPath(
      int id,
      PathBudget budget,
      ClassQueues queues,
      SessionPacing pacing,
      ClassCompounds compounds,
      PacketEncoder encoder,
      PacketSizes sizes,
      DatagramWriter datagrams,
      PathMessages messages,
      CopyQueue copies,
      CopyQueue repeats,
      RecentBursts recent) {
    this.id = id;
    this.budget = budget;
    this.mtu = budget.mtu;
    this.queues = queues;
    this.pacing = pacing;
    this.compounds = compounds;
    this.encoder = encoder;
    this.sizes = sizes;
    this.datagrams = datagrams;
    this.messages = messages;
    this.copies = copies;
    this.repeats = repeats;
    this.recent = recent;
  }

  /// Returns whether packets wait, because the device has said that the path moves.
  boolean isMoving() {
    return movingUntilNs != Long.MAX_VALUE;
  }

  /// Sets the link of the path, at the device.
  void leadsOver(String name) {
    if (!name.equals(link)) {
      link = name;
      linkFrom = probes.nextNumber();
    }
  }

  /// Returns the name that the next probe tells, null if the SNAPT knows it.
  @Nullable String untoldLink() {
    return linkFrom < 0 ? null : link;
  }

  /// Notes that the SNAPT has answered a probe by UDP: it knows the link if the probe has told it.
  void answeredProbe(int number) {
    if (linkFrom >= 0 && number >= linkFrom) {
      linkFrom = -1;
    }
  }

  /// Forgets all measurements, because the network under the path has changed. The size is searched
  /// when the new path answers.
  void changed() {
    network++;
    unknown = true;
    payingRun = -1;
    losing = false;
    bad = false;
    loss.reset();
    lossToHere.reset();
    recent.clear();
    mtu.suspend();
    pacing.pathChanged();
    if (trials != null) {
      trials.pathChanged();
    }
  }

  /// Starts the search for the size, because the path has answered by UDP.
  void answers(long nowNs) {
    if (unknown) {
      unknown = false;
      mtuRun = mtuRun + 1 & TrainRun.SEARCH_MAX;
      mtu.restart(nowNs);
    }
  }

  /// Returns the smoothed round trip in µs; NaN before the first measurement.
  double roundTripUs() {
    double measured = probes.smoothedRoundTripUs();
    return Double.isNaN(measured) ? sharedRoundTripUs : measured;
  }

  /// Returns the peer's clock minus ours, in µs; NaN before the first measurement.
  double clockOffsetUs() {
    double measured = probes.offsetUs();
    return Double.isNaN(measured) ? sharedOffsetUs : measured;
  }

  /// Returns the bound on the error of a one-way delay by that offset, in µs: half the round trip
  /// of the measurement. NaN before the first one.
  double delayErrorUs() {
    boolean isMeasuredHere = !Double.isNaN(probes.offsetUs());
    return (isMeasuredHere ? probes.offsetRoundTripUs() : sharedRoundTripUs) / 2;
  }

  /// Returns the round trip of about the last minute in µs; NaN before the first measurement.
  double usualRoundTripUs() {
    double measured = probes.usualRoundTripUs();
    return Double.isNaN(measured) ? sharedUsualRoundTripUs : measured;
  }

  /// Returns what this end has measured, for the other one.
  PathMeasurement measurement(long nowNs) {
    double usual = probes.usualRoundTripUs();
    return new PathMeasurement(
        Double.isNaN(usual) ? 0 : (int) Math.min(Integer.MAX_VALUE, usual),
        PathMeasurement.parts(loss.recent(nowNs)),
        PathMeasurement.parts(lossToHere.recent(nowNs)),
        PathMeasurement.parts(loss.longTerm(nowNs)),
        PathMeasurement.parts(lossToHere.longTerm(nowNs)),
        (int) (pacing.pacer().sentPerSecond(nowNs) * 8 / 1000));
  }

  /// Takes what the prober has measured.
  void shared(PathMeasurement by, long nowNs) {
    sharedUsualRoundTripUs = Integer.toUnsignedLong(by.usualRoundTripUs());
    peerBitPerSecond = Integer.toUnsignedLong(by.sentKbitPerSecond()) * 1000.0;
    loss.shared(
        PathMeasurement.ratio(by.toProber()), PathMeasurement.ratio(by.usualToProber()), nowNs);
    lossToHere.shared(
        PathMeasurement.ratio(by.fromProber()), PathMeasurement.ratio(by.usualFromProber()), nowNs);
  }

  /// Returns whether the round trip is known.
  boolean isMeasured() {
    return !Double.isNaN(roundTripUs());
  }

  /// Returns the round trip in µs, with its loss: each percent counts as 10 ms, because what is
  /// lost comes a round trip later or never. A path that was not measured comes last.
  double delayUs(long nowNs) {
    double roundTripUs = roundTripUs();
    return Double.isNaN(roundTripUs)
        ? Double.MAX_VALUE
        : roundTripUs + LOSS_US * loss.recent(nowNs);
  }

  /// Returns how long the bytes that wait for the path need to leave, in seconds.
  double waitSeconds() {
    int waiting = 0;
    for (int c = 0; c < ServiceClass.COUNT; c++) {
      waiting += queues.bytes(ServiceClass.of(c));
    }
    return waiting / pacing.pacer().bytesPerSecond();
  }

  /// Returns the rate that the path could carry in addition to what is sent by it, in bytes per
  /// second. All choices by rate, all reports of it and all explanations use this value: it is
  /// infinite while the rate of the path is not known, because it was never full, and 0 while a
  /// queue stands.
  double sparePerSecond(long nowNs) {
    if (!pacing.pacer().isLimiting()) {
      return Double.POSITIVE_INFINITY;
    }
    if (waitSeconds() * 1e9 > FULL_NS) {
      return 0;
    }
    return Math.max(0, pacing.pacer().bytesPerSecond() - pacing.pacer().sentPerSecond(nowNs));
  }

  /// Returns whether packets of a class wait for the path, so that another one may take them.
  boolean isFull(ServiceClass of, long nowNs) {
    return pacing.pacer().isLimiting() && queues.waitNs(of, nowNs) > FULL_NS;
  }

  /// Takes the bytes that the peer has sent by this path.
  ///
  /// @param sentBytes low 32 bits, or [PathMessage#NO_COUNT]
  void counted(long sentBytes, long nowNs) {
    if (sentBytes != PathMessage.NO_COUNT) {
      lossToHere.counts((int) sentBytes, pacing.arrivedBytes(), nowNs);
    }
  }

  /// Gives the memory back, because the session ends.
  void discard() {
    compounds.discard();
    messages.discard();
    copies.clear();
    repeats.clear();
    recent.clear();
  }
}
