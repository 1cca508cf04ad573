package io.viaduct.cnapt.tunnel;

import io.viaduct.cnapt.classification.Application;
import io.viaduct.cnapt.policy.PlacedFlow;
import io.viaduct.cnapt.policy.Policy;
import io.viaduct.cnapt.policy.PolicyLine;
import io.viaduct.cnapt.snapts.SnaptChoice;
import io.viaduct.cnapt.snapts.SnaptDecision;
import io.viaduct.cnapt.snapts.SnaptFacts;
import io.viaduct.tunnel.flow.FlowKey;
import io.viaduct.tunnel.flow.FlowState;
import io.viaduct.tunnel.flow.FlowTable;
import io.viaduct.tunnel.flow.FlowTuple;
import io.viaduct.tunnel.session.LoopMemory;
import io.viaduct.tunnel.session.TunnelSession;
import io.viaduct.tunnel.wire.IpFields;
import io.viaduct.tunnel.wire.IpPacket;
import io.viaduct.tunnel.wire.ServiceClass;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// The ends of the tunnels to all SNAPTs in use, and the end of each packet of this host.
///
/// A flow belongs to the session that has it in its table. The session of the last packet is asked
/// first, with the look-up that the offer needs anyway. A packet that no session knows begins a new
/// flow, which follows others ([Affinities]) or is placed by [SnaptChoice]. Owner: the data path's
/// event loop.
final class TunnelEnds implements TunIntake.Next, FlowChanges {
  private static final long FACTS_NS = 200_000_000;
  private static final long UNSERVED_NS = 200_000_000; // between two calls

  private final LongSupplier nanoTime;
  private final LoopMemory memory;
  private final FlowClasses classes;
  private final SnaptChoice choice;
  private final HostRefusals refusals;
  private UnmetRules unmet;
  private final @Nullable SnaptDecision[] decided = new SnaptDecision[ServiceClass.COUNT];
  private final Affinities affinities = new Affinities();
  private final AtomicLongArray placed = new AtomicLongArray(Placement.values().length);
  private volatile TunnelEnd[] all = {}; // written before the first session
  private @Nullable TunnelEnd only; // with a session
  private @Nullable TunnelEnd last;
  private ServiceListener service = ServiceListener.NONE;
  private boolean isServed = true; // or there is no session
  private long calledNs;
  private List<SnaptFacts> facts = List.of();
  private long factsNs;

  TunnelEnds(
      LongSupplier nanoTime,
      LoopMemory memory,
      FlowClasses classes,
      SnaptChoice choice,
      Policy policy,
      HostRefusals refusals) {
    this.unmet = new UnmetRules(choice.unmet(), policy);
    this.refusals = refusals;
    this.nanoTime = nanoTime;
    this.calledNs = nanoTime.getAsLong() - UNSERVED_NS;
    this.memory = memory;
    this.classes = classes;
    this.choice = choice;
  }

  /// Sets the ends, the preferred one first.
  void set(List<TunnelEnd> ends) {
    all = ends.toArray(TunnelEnd[]::new);
    last = null;
    look();
  }

  /// Sets what hears how the SNAPTs serve.
  void tell(ServiceListener hears) {
    service = hears;
  }

  private void look() {
    TunnelEnd with = all[0];
    int sessions = 0;
    boolean serves = false;
    for (TunnelEnd each : all) {
      if (each.session() != null) {
        with = each;
        sessions++;
        serves |= each.serves();
      }
    }
    isServed = serves || sessions == 0;
    only = sessions <= 1 && !unmet.mayRefuse() ? with : null;
  }

  /// Uses other rules for new flows.
  void distribute(Policy policy) {
    unmet = new UnmetRules(choice.unmet(), policy);
    set(all());
  }

  TunnelEnd first() {
    return all[0];
  }

  List<TunnelEnd> all() {
    return List.of(all);
  }

  // --- packets of this host

  @Override
  public void packet(IpPacket packet, long nowNs) {
    TunnelEnd to = only;
    if (to == null) {
      ofSeveral(packet, nowNs);
    } else {
      to.offer(packet, nowNs);
    }
    if (!isServed) {
      unserved(nowNs);
    }
  }

  private void unserved(long nowNs) {
    if (nowNs - calledNs < UNSERVED_NS) {
      return;
    }
    for (TunnelEnd each : all) {
      if (each.awaitsAnswer(nowNs)) {
        return;
      }
    }
    calledNs = nowNs;
    service.unserved();
  }

  private void ofSeveral(IpPacket packet, long nowNs) {
    FlowKey key = memory.parse(packet);
    if (key == null) {
      withSession().offer(packet, nowNs); // counts it
      return;
    }
    TunnelEnd before = last;
    FlowState flow = before == null ? null : before.flowOfParsed();
    if (before != null && flow != null) {
      offer(packet, key, before, flow, nowNs);
      return;
    }
    for (TunnelEnd each : all) {
      flow = each == before ? null : each.flowOfParsed();
      if (flow != null) {
        last = each;
        offer(packet, key, each, flow, nowNs);
        return;
      }
    }
    begin(packet, key, nowNs);
  }

  /// Offers a packet of a flow to its session. A young flow that nothing has answered yet begins
  /// anew if its SNAPT is silent and another one carries: no host knows it by the SNAPT's address.
  private void offer(IpPacket packet, FlowKey key, TunnelEnd to, FlowState flow, long nowNs) {
    if (to.keeps(flow) || !isAnyCarrying()) {
      to.offer(packet, flow, nowNs);
    } else {
      to.giveUp(flow, nowNs);
      begin(packet, key, nowNs);
    }
  }

  private boolean isAnyCarrying() {
    for (TunnelEnd each : all) {
      if (each.isCarrying()) {
        return true;
      }
    }
    return false;
  }

  private TunnelEnd withSession() {
    for (TunnelEnd each : all) {
      if (each.session() != null) {
        return each;
      }
    }
    return all[0];
  }

  /// Offers the first packet of a flow.
  private void begin(IpPacket packet, FlowKey key, long nowNs) {
    Application application = classes.ofFirst(key);
    ServiceClass of = application.serviceClass();
    Affinities.Followed followed = affinities.of(key, of, nowNs);
    TunnelEnd to;
    Object why;
    if (followed != null && followed.end().keepsTies(nowNs)) {
      to = followed.end();
      why = new TiedFlow(followed.why(), decide(of, nowNs));
      placed.incrementAndGet(Placement.FOLLOWED.ordinal());
    } else {
      SnaptDecision decision = decide(of, nowNs);
      PolicyLine refusal =
          decision.isUnmet() && RefusedFlows.mayBegin(key, tcpFlags(packet, key))
              ? unmet.refusal(key, application)
              : null;
      if (refusal != null) {
        refusals.refuse(packet, key, application.name(), decision, refusal, nowNs);
        return;
      }
      to = all[decision.chosen()];
      why = decision;
      boolean meets = decision.best().meets();
      placed.incrementAndGet((meets ? Placement.CHOSEN : Placement.BEST_EFFORT).ordinal());
    }
    last = to;
    to.offer(packet, nowNs);
    FlowState opened = to.flowOfParsed();
    if (opened != null && opened.attachment() instanceof FlowNote note) {
      note.placed = why;
    }
  }

  /// Returns the SNAPT that a flow has, or would have if it began now. Changes nothing.
  PlacedFlow place(FlowTuple flow, Application application, long nowNs) {
    for (TunnelEnd each : all) {
      if (carries(each, flow)) {
        return placed(flow, each, "the flow runs there", false);
      }
    }
    if (only != null) {
      return placed(flow, only, "", false);
    }
    FlowKey key = flow.key();
    ServiceClass of = application.serviceClass();
    Affinities.Followed followed = affinities.of(key, of, nowNs);
    if (followed != null && followed.end().keepsTies(nowNs)) {
      return placed(flow, followed.end(), followed.why(), false);
    }
    SnaptDecision decision = decide(of, nowNs);
    boolean isRefused = decision.isUnmet() && unmet.refusal(key, application) != null;
    return placed(
        flow,
        all[decision.chosen()],
        isRefused ? decision.whyRefused() : decision.why(),
        isRefused);
  }

  /// Returns why a flow has its SNAPT, for a person. If there is one SNAPT only, no flow had a
  /// choice: the answer then says why this SNAPT is used, and what is measured of it now. Empty for
  /// a flow that the other end has opened.
  String whyPlaced(TunnelEnd at, FlowState flow, long nowNs) {
    String why = flow.attachment() instanceof FlowNote note ? note.whyPlaced() : "";
    boolean isOwn = flow.id() < FlowTable.SNAPT_FIRST && !at.name().isEmpty();
    return why.isEmpty() && isOwn && isAlone(at)
        ? OnlySnapt.why(decide(flow.serviceClass(), nowNs), at.region())
        : why;
  }

  private boolean isAlone(TunnelEnd at) {
    for (TunnelEnd each : all) {
      if (each != at && each.session() != null) {
        return false;
      }
    }
    return true;
  }

  private static PlacedFlow placed(FlowTuple flow, TunnelEnd at, String why, boolean isRefused) {
    return new PlacedFlow(at.name(), why, isRefused, at.ranksItself(), at.spreads(flow.protocol()));
  }

  // A person may not know the address that applications see.
  private static boolean carries(TunnelEnd end, FlowTuple asked) {
    TunnelSession session = end.session();
    boolean[] found = {false};
    if (session != null) {
      session
          .flows()
          .forEach(flow ->
              found[0] |=
                  flow.protocol() == asked.protocol()
                      && flow.devicePort() == asked.devicePort()
                      && flow.remotePort() == asked.remotePort()
                      && flow.remoteLow() == asked.remoteLow()
                      && flow.remoteHigh() == asked.remoteHigh());
    }
    return found[0];
  }

  private static int tcpFlags(IpPacket packet, FlowKey key) {
    return key.protocol() == IpFields.TCP && !key.isPortless()
        ? packet
            .buffer()
            .getUnsignedByte(packet.start() + key.transportOffset() + IpFields.TCP_FLAGS)
        : 0;
  }

  /// Returns the decision for a class, which is the same while the facts are.
  private SnaptDecision decide(ServiceClass of, long nowNs) {
    List<SnaptFacts> by = facts(nowNs);
    SnaptDecision known = decided[of.ordinal()];
    if (known == null) {
      known = choice.choose(of, by);
      decided[of.ordinal()] = known;
    }
    return known;
  }

  private List<SnaptFacts> facts(long nowNs) {
    if (facts.size() != all.length || nowNs - factsNs >= FACTS_NS) {
      factsNs = nowNs;
      Arrays.fill(decided, null);
      facts = sharing(Arrays.stream(all).map(each -> each.facts(nowNs)).toList());
    }
    return facts;
  }

  /// Returns facts in which lines that take the same link of this host share its rate.
  private List<SnaptFacts> sharing(List<SnaptFacts> alone) {
    List<SnaptFacts> now = new ArrayList<>(alone);
    for (int i = 0; i < all.length; i++) {
      for (int other = 0; other < all.length; other++) {
        if (other != i && all[i].sharesLink(all[other])) {
          now.set(i, now.get(i).beside(alone.get(other)));
        }
      }
    }
    return now;
  }

  /// Forgets what was known about the SNAPTs, because the state of one has changed, or a session
  /// has begun or ended.
  void stateChanged() {
    facts = List.of();
    look();
    service.serviceChanged();
  }

  @Override
  public void batchEnd(long nowNs) {
    TunnelEnd to = only;
    if (to != null) {
      to.flush(nowNs);
      return;
    }
    for (TunnelEnd each : all) {
      each.flushOffered(nowNs);
    }
  }

  /// Returns whether the queues of every session have room.
  boolean haveRoom() {
    for (TunnelEnd each : all) {
      if (!each.hasRoom()) {
        return false;
      }
    }
    return true;
  }

  @Override
  public void gone(TunnelEnd end) {
    affinities.forget(end);
  }

  @Override
  public void changed(TunnelEnd at, FlowState flow, boolean isOpen) {
    if (isOpen && all.length == 1 && !unmet.mayRefuse()) {
      return; // ties say nothing
    }
    if (flow.attachment() instanceof FlowNote note) {
      if (isOpen) {
        affinities.opened(at, flow, note, nanoTime.getAsLong());
      } else {
        affinities.ended(note, nanoTime.getAsLong());
      }
    }
  }

  /// Returns the number of flows that got their SNAPT for a reason. Any thread may call this.
  long placed(Placement reason) {
    return placed.get(reason.ordinal());
  }
}
