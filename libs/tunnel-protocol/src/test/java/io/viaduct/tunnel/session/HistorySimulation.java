package io.viaduct.tunnel.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.tunnel.dictionary.HistoryEvent;
import io.viaduct.tunnel.key.Ciphers;
import io.viaduct.tunnel.session.NetworkSimulation.NetworkFaults;
import io.viaduct.tunnel.terms.CompressionContext;
import io.viaduct.tunnel.terms.TunnelSettings;
import io.viaduct.tunnel.wire.Verdict;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;

/// Sends text of several hosts, in both directions, through a faulty network. The ends restart and
/// get their dictionaries late. Forgetful ends also drop histories in use and fall silent. Each
/// restored packet must equal a sent one, byte for byte, and arrive at most once: the oracle knows
/// all packets of the present session. If the ends are not forgetful, no epoch may ever be unknown.
final class HistorySimulation implements AutoCloseable {
  private static final int STEPS_PER_FORGETTING = 200;
  private static final int STEPS_PER_PAUSE = 400;

  /// Longest pause: longer than either end keeps idle histories.
  private static final long PAUSE_NS_MAX = 90_000_000_000L;

  /// Events that must occur at least once in a long run; otherwise the run proves too little.
  enum Event {
    LOST,
    REPLAY_REFUSED,
    REORDERED,
    PAUSED,
    AGENT_RESTARTED,
    SNAPT_RESTARTED,
    OLD_SESSION_REFUSED,
    DICTIONARY_AFTER_ITS_SESSION,
    FORGOTTEN,
    EPOCH_ADOPTED,
    EPOCH_REPEATED,
    UNKNOWN_EPOCH,
    EPOCH_LOST_AT_PEER
  }

  /// One end's process, from its start to its end. Several sessions follow each other in it.
  private static final class End {
    final DelayedBackgroundWork late = new DelayedBackgroundWork();
    final LoopMemory memory;

    End(SplittableRandom random) {
      memory = LoopbackRig.memory(random.nextLong(), Ciphers::fastest, late);
    }

    long events(HistoryEvent event) {
      return memory.history().events()[event.ordinal()];
    }

    void die() {
      memory.close();
      late.all(); // a real process would free this native memory at its end
      assertThat(memory.history().heldBytes()).isZero();
    }
  }

  private final SplittableRandom random;
  private final NetworkFaults faults;
  private final boolean forgetful;
  private final TunnelSettings settings;
  private final TextTraffic traffic;
  private final Set<Event> seen = EnumSet.noneOf(Event.class);
  private final FaultyWire up;
  private final FaultyWire down;
  private End agent;
  private End snapt;
  private LoopbackRig rig;

  /// Creates the simulation.
  ///
  /// @param forgetful true if ends forget histories that are in use
  HistorySimulation(long seed, NetworkFaults faults, boolean forgetful) {
    random = new SplittableRandom(seed);
    this.faults = faults;
    this.forgetful = forgetful;
    settings =
        TestSettings.of(
            16_384 << random.nextInt(4), CompressionContext.values()[random.nextInt(2)], 70);
    traffic = new TextTraffic(random);
    up = new FaultyWire(random, faults);
    down = new FaultyWire(random, faults);
    agent = new End(random);
    snapt = new End(random);
    rig = rig(5_000_000_000L);
  }

  private LoopbackRig rig(long nowNs) {
    byte[] secret = new byte[32];
    random.nextBytes(secret);
    return new LoopbackRig(settings, agent.memory, snapt.memory, secret, nowNs);
  }

  TextTraffic traffic() {
    return traffic;
  }

  long wireBytes() {
    return up.bytes + down.bytes;
  }

  Set<Event> seen() {
    return seen;
  }

  /// Runs the simulation. The more packets, the longer the sessions.
  void run(int packets) {
    int stepsPerRestart = packets / 100 << random.nextInt(3);
    int until = traffic.offered() + packets;
    while (traffic.offered() < until) {
      for (int batch = random.nextInt(1, 12); batch > 0; batch--) {
        traffic.offer(rig);
      }
      rig.agent.flushBatch(rig.nowNs);
      rig.snapt.flushBatch(rig.nowNs);
      step();
      if (faults.eventful() && random.nextInt(stepsPerRestart) == 0) {
        restart(random.nextBoolean());
      }
      if (forgetful && random.nextInt(STEPS_PER_FORGETTING) == 0) {
        forget();
      }
      if (faults.eventful() && random.nextInt(STEPS_PER_PAUSE) == 0) {
        pause();
      }
    }
    settle();
    note();
  }

  private void forget() {
    End one = random.nextBoolean() ? agent : snapt;
    long before = one.events(HistoryEvent.CONTEXT_IDLE);
    one.memory.history().expire(Long.MAX_VALUE);
    note(one.events(HistoryEvent.CONTEXT_IDLE) - before, Event.FORGOTTEN);
  }

  /// Runs for longer than any datagram waits or is held back.
  private void settle() {
    for (int i = 0; i < 60; i++) {
      rig.nowNs += 5_000_000;
      step();
    }
  }

  /// Sends nothing for so long that the histories of one end or both expire.
  private void pause() {
    settle();
    receive(rig.snapt, up.rest());
    receive(rig.agent, down.rest());
    rig.nowNs += random.nextLong(PAUSE_NS_MAX);
    step();
    seen.add(Event.PAUSED);
  }

  private void step() {
    rig.nowNs += random.nextInt(4_000_000);
    rig.agent.onTick(rig.nowNs);
    rig.snapt.onTick(rig.nowNs);
    rig.drain(rig.agent);
    rig.drain(rig.snapt);
    receive(rig.snapt, up.carry(rig.up, rig.nowNs));
    receive(rig.agent, down.carry(rig.down, rig.nowNs));
    agent.late.some(random);
    snapt.late.some(random);
    traffic.check(rig.atSnapt);
    traffic.check(rig.atAgent);
  }

  private void receive(TunnelSession to, List<byte[]> datagrams) {
    for (byte[] datagram : datagrams) {
      Verdict verdict = rig.receive(to, datagram);
      boolean expected =
          switch (verdict) {
            case ACCEPTED, REPLAYED, TOO_OLD -> true;
            case UNKNOWN_EPOCH -> forgetful;
            default -> false;
          };
      assertThat(expected)
          .as("an authentic datagram got %s, %s, %d ns", verdict, faults, rig.nowNs)
          .isTrue();
    }
    to.openBatchEnd(rig.nowNs);
  }

  /// Restarts one end, which loses all state; the other keeps its dictionaries in the making. Both
  /// get a session with other keys, and the datagrams in flight arrive there.
  private void restart(boolean ofAgent) {
    note();
    rig.closeSessions();
    traffic.check(rig.atSnapt);
    traffic.check(rig.atAgent);
    traffic.forgetSent();
    End survivor = ofAgent ? snapt : agent;
    if (survivor.late.isWorking()) {
      seen.add(Event.DICTIONARY_AFTER_ITS_SESSION);
    }
    assertThat(survivor.memory.history().heldBytes()).isZero();
    (ofAgent ? agent : snapt).die();
    if (ofAgent) {
      agent = new End(random);
    } else {
      snapt = new End(random);
    }
    LoopbackRig old = rig;
    rig = rig(old.nowNs);
    refuse(rig.snapt, old.up, up);
    refuse(rig.agent, old.down, down);
    seen.add(ofAgent ? Event.AGENT_RESTARTED : Event.SNAPT_RESTARTED);
  }

  private void refuse(TunnelSession session, Deque<byte[]> drained, FaultyWire wire) {
    List<byte[]> ofTheOldOne = new ArrayList<>(drained);
    ofTheOldOne.addAll(wire.rest());
    for (byte[] datagram : ofTheOldOne) {
      assertThat(rig.receive(session, datagram)).isIn(Verdict.BAD_TAG, Verdict.STALE_KEY);
      seen.add(Event.OLD_SESSION_REFUSED);
    }
  }

  private void note() {
    for (TunnelSession session : List.of(rig.agent, rig.snapt)) {
      note(LoopbackRig.count(session, Verdict.REPLAYED), Event.REPLAY_REFUSED);
      note(LoopbackRig.count(session, Verdict.UNKNOWN_EPOCH), Event.UNKNOWN_EPOCH);
    }
    for (End end : List.of(agent, snapt)) {
      note(end, HistoryEvent.EPOCH_ADOPTED, Event.EPOCH_ADOPTED);
      note(end, HistoryEvent.EPOCH_REPEATED, Event.EPOCH_REPEATED);
      note(end, HistoryEvent.EPOCH_LOST_AT_PEER, Event.EPOCH_LOST_AT_PEER);
    }
    note(up.lost + down.lost, Event.LOST);
    note(up.late + down.late, Event.REORDERED);
  }

  private void note(End end, HistoryEvent counted, Event event) {
    note(end.events(counted), event);
  }

  private void note(long count, Event event) {
    if (count > 0) {
      seen.add(event);
    }
  }

  @Override
  public void close() {
    rig.closeSessions();
    agent.die();
    snapt.die();
  }
}
