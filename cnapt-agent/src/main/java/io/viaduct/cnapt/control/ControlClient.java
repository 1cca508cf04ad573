package io.viaduct.cnapt.control;

import com.google.protobuf.ByteString;
import io.netty.channel.EventLoop;
import io.netty.handler.ssl.SslContext;
import io.netty.util.concurrent.Promise;
import io.viaduct.cnapt.links.Remote;
import io.viaduct.cnapt.links.UsableLink;
import io.viaduct.cnapt.receipts.LineReceipts;
import io.viaduct.tunnel.control.v1.Moved;
import io.viaduct.tunnel.control.v1.RefusalCode;
import io.viaduct.tunnel.control.v1.Relay;
import io.viaduct.tunnel.control.v1.Welcome;
import io.viaduct.tunnel.wire.DatagramHeader;
import java.net.InetAddress;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Keeps a control connection to one of the SNAPTs, across network changes, and the session that
/// belongs to it. [Candidates] says which SNAPT to try, [Retries] when to try again, [Departures]
/// leaves the SNAPT for another one, and [ControlDialog] exchanges the messages. Any thread may
/// call the methods; all state belongs to the control event loop.
public final class ControlClient implements ControlDialog.Owner, Departures.Owner {
  private static final Logger LOG = LoggerFactory.getLogger(ControlClient.class);

  private static final long CLOSE_MS_MAX = 1_500;

  private final EventLoop loop;
  private final Attempts attempts;
  private final ControlSettings settings;
  private final DeviceIdentity device;
  private final Greeting greeting;
  private final @Nullable LineReceipts receipts;
  private final ControlListener listener;
  private final RandomGenerator random;
  private final Candidates candidates;
  private final BackOff backOff;
  private final BridgeDirectory bridge;
  private final SnaptNews news;
  private final ControlCounts counts = new ControlCounts();
  private final Retries retries;
  private final Departures departures;
  private final ConnectionWatch watch;

  private byte @Nullable [] token; // null before the first one
  private @Nullable ControlDialog dialog;
  private boolean stopped;
  private @Nullable Welcomed session;

  /// @param snapts of all clients of the device
  /// @param receipts used only on the loop from now on; null if this end signs none
  public ControlClient(
      ControlTransport transport,
      ControlSettings settings,
      DeviceIdentity device,
      Greeting greeting,
      DeviceSnapts snapts,
      @Nullable LineReceipts receipts,
      RandomGenerator random,
      ControlListener listener) {
    SnaptClaims claims = snapts.claims();
    this.loop = transport.loop();
    this.attempts = new Attempts(transport, settings);
    this.settings = settings;
    this.device = device;
    this.greeting = greeting;
    this.receipts = receipts;
    this.random = random;
    this.listener = listener;
    this.candidates =
        new Candidates(snapts.bootstrap(), settings.snaptPatience().toNanos(), claims);
    this.backOff = new BackOff(settings, random);
    this.retries = new Retries(loop);
    this.departures = new Departures(loop, candidates, backOff, counts, listener, this);
    this.watch = new ConnectionWatch(candidates, departures, backOff, this::dialog, this::connect);
    this.bridge = snapts.bridge();
    this.news = new SnaptNews(loop, bridge, claims.order(), listener, this::listedBySnapt);
  }

  private void listedBySnapt(List<Snapt> snapts) {
    candidates.replace(snapts);
    listener.relays(candidates.offered());
  }

  /// Sets the first or a newer token, and the SNAPTs that accept it. A peer is shown an empty
  /// token: it knows the key.
  ///
  /// @param granted addresses by host name of a SNAPT, used if no resolver answers
  public void present(byte[] newToken, List<Snapt> snapts, Map<String, List<InetAddress>> granted) {
    byte[] shown = newToken.clone();
    attempts.granted(granted);
    loop.execute(() -> {
      token = shown;
      if (!snapts.isEmpty()) {
        news.granted(snapts);
        candidates.replace(snapts);
      }
      ControlDialog leaving = departures.from();
      if (leaving != null) {
        leaving.present(shown);
      }
      ControlDialog open = dialog;
      if (open != null) {
        open.present(shown);
      } else if (leaving == null) {
        backOff.succeeded();
        connect();
      }
    });
  }

  /// Takes the list that another client of the device has got, and connects if this one has waited
  /// for a SNAPT.
  ///
  /// @param snapts empty if only a SNAPT may have become free
  public void listed(List<Snapt> snapts) {
    loop.execute(() -> {
      if (!snapts.isEmpty()) {
        candidates.replace(snapts);
      }
      connectUnlessBusy();
    });
  }

  /// Leaves the SNAPT for another one, if there is one that is free: the session ends there when
  /// the other one has sent its Welcome, unless a flow has begun meanwhile. Until then it has its
  /// control connection. After a failure another SNAPT is tried later. Does nothing otherwise.
  ///
  /// @param why sent with the Goodbye
  public void moveOn(String why) {
    loop.execute(() -> departures.want(why, null));
  }

  /// Leaves the SNAPT for this one and no other, as [#moveOn]. If it does not take the device, the
  /// listener hears of it, and the session stays.
  ///
  /// @param why sent with the Goodbye
  public void moveTo(Snapt only, String why) {
    loop.execute(() -> departures.want(why, only));
  }

  /// Begins no session before [#open], because the device has enough others. Does nothing if there
  /// is a session: [#moveOn] ends that one.
  ///
  /// @param why for a person
  public void sleep(String why) {
    loop.execute(() -> {
      if (session == null && !departures.isUnderWay()) {
        fallAsleep(why);
      }
    });
  }

  private void fallAsleep(String why) {
    ControlDialog begun = dialog;
    dialog = null;
    attempts.giveUp();
    retries.cancel();
    retries.forget();
    candidates.sleep();
    endSession();
    listener.slept(why);
    if (begun != null) {
      begun.drop(why);
    }
  }

  /// Begins a session again after [#sleep], first with a SNAPT that has answered.
  public void open(HandshakeRace.Winner with) {
    loop.execute(() -> {
      if (candidates.wake(with.at())) {
        attempts.prefer(with.by());
        backOff.succeeded();
        connect();
      }
    });
  }

  /// Returns whether another SNAPT is asked to take the place of the present one. Must be called on
  /// the loop.
  public boolean isMoving() {
    return departures.isUnderWay();
  }

  @Override
  public @Nullable ControlDialog dialog() {
    return dialog;
  }

  @Override
  public @Nullable Welcomed session() {
    return session;
  }

  @Override
  public void connectBeside() {
    dialog = null;
    connect();
  }

  @Override
  public @Nullable ControlDialog goOn(ControlDialog with, @Nullable Welcomed of) {
    ControlDialog given = dialog;
    dialog = with;
    session = of;
    retries.forget();
    attempts.giveUp();
    retries.cancel();
    return given;
  }

  @Override
  public void tryLater(Runnable attempt) {
    retries.after(backOff.next(), attempt);
  }

  /// Ends the session although no other SNAPT is free, because others of the device's SNAPTs carry:
  /// a SNAPT that drains becomes empty. Another session begins when the SNAPT serves again. If the
  /// device has enough sessions without this one, none begins before [#open].
  @Override
  public void rest(ControlDialog open, String why) {
    LOG.info("leaving {} without another one: {}", session, why);
    dialog = null;
    if (listener.isSurplus()) {
      fallAsleep(why);
      open.leave(why, () -> {});
      return;
    }
    attempts.giveUp();
    retries.cancel();
    candidates.rest();
    endSession();
    listener.rested(why);
    open.leave(why, () -> {});
    awaitRestEnd();
  }

  // Lists tell that the SNAPT serves again, if they have told that it drains.
  private void awaitRestEnd() {
    retries.lookAfterRest(backOff.next(), this::endRest);
  }

  private void endRest() {
    if (departures.isUnderWay()) {
      awaitRestEnd(); // the one that is left has not gone yet
    } else if (dialog == null && !retries.isWaiting() && candidates.restIsOver()) {
      connect();
    }
  }

  private void connectUnlessBusy() {
    if (dialog == null && !departures.isUnderWay() && !retries.isWaiting()) {
      connect();
    }
  }

  /// Reconnects at once, because the device is on another network.
  public void networkChanged() {
    loop.execute(watch::networkChanged);
  }

  /// Takes a change of the links that can be used. A connection stays while its own link does, and
  /// waits for its link while there is none.
  ///
  /// @param now all usable links
  public void linksChanged(List<UsableLink> now) {
    loop.execute(() -> watch.linksChanged(now));
  }

  /// Reconnects by another way if nothing arrives by that of the connection, although its link is
  /// up.
  ///
  /// @param link name of the link
  /// @param remote the place that nothing arrives from
  public void pathSilent(String link, Remote remote) {
    loop.execute(() -> watch.pathSilent(link, remote));
  }

  /// Reconnects at once, because datagrams are lost although the link is up.
  public void pathDead() {
    loop.execute(watch::pathDead);
  }

  private void connect() {
    retries.cancel();
    if (stopped || dialog != null || token == null) {
      return;
    }
    Snapt snapt = candidates.dial();
    if (snapt == null) {
      return;
    }
    attempts.begin(
        snapt,
        context -> connect(snapt, context),
        () -> failed(ControlFailure.HOST_UNKNOWN, "no address for " + snapt.host(), false));
  }

  private void connect(Snapt snapt, SslContext context) {
    byte[] shown = token;
    if (stopped || dialog != null || shown == null) {
      return;
    }
    ControlDialog begun =
        new ControlDialog(
            loop,
            settings,
            greeting,
            new ShownToken(device, shown),
            resumption(snapt),
            receipts == null ? null : receipts.ledger(),
            this);
    dialog = begun;
    begun.begin(attempts.connection(snapt, context, backOff.failures(), begun));
  }

  private Resumption resumption(Snapt at) {
    Welcomed present = session;
    Welcomed held =
        present != null && present.snapt().isSameProcess(at) ? present : departures.leftAt(at);
    long comes = departures.handOver();
    long handOver = comes == 0 ? candidates.visits(at) : comes;
    return held != null
        ? held.resumption(handOver)
        : new Resumption("", random.nextInt(1, DatagramHeader.RECEIVER_INDEX_MAX + 1), handOver);
  }

  @Override
  public void welcomed(Welcomed by) {
    if (stopped) {
      return;
    }
    if (departures.isNoArrival(by)) {
      part("the device stays where it is");
      departures.arriveNowhere();
      return;
    }
    Welcome welcome = by.welcome();
    if (!candidates.succeeded(by.snapt(), welcome.getSnaptId(), welcome.getMovedNumber())) {
      String words = "the device is at this SNAPT already";
      if (welcome.getResumed()) {
        session = null;
      }
      part(words);
      retries.noHope();
      failed(ControlFailure.GOODBYE, words, false);
      return;
    }
    backOff.succeeded();
    Welcomed welcomed =
        greeting.toPeer()
            ? by.reachableAtEach(attempts.reachable())
            : by.reachableAt(attempts.reachable(), session);
    Welcomed before = session;
    session = welcomed;
    retries.succeeded();
    departures.arrived(before, welcomed);
    LOG.info("{}", welcomed);
    listener.welcomed(welcomed);
  }

  @Override
  public void moved(ControlDialog by, Moved moved) {
    departures.moved(by, moved);
  }

  @Override
  public void moveDone(ControlDialog by, long number) {
    departures.moveDone(by, number);
  }

  @Override
  public void moveUndecided(ControlDialog by) {
    departures.moveUndecided(by);
  }

  /// Ends the session that has just begun.
  private void part(String why) {
    ControlDialog begun = dialog;
    dialog = null;
    if (begun != null) {
      begun.leave(why, () -> {});
    }
  }

  @Override
  public void refused(RefusalCode code, String words) {
    counts.refused(code);
    retries.refused(code);
    switch (code) {
      case TOKEN_MALFORMED,
          TOKEN_FORGED,
          TOKEN_EXPIRED,
          TOKEN_NOT_YET_VALID,
          TOKEN_AUDIENCE,
          TOKEN_REVOKED,
          PROOF_INVALID ->
          listener.tokenRefused(words);
      case SESSION_ACCOUNT_MISMATCH, RECEIPTS_OWED -> {
        if (!departures.isUnderWay()) { // otherwise the session is not the one that was asked for
          endedBySnapt();
        }
      }
      default -> {}
    }
  }

  @Override
  public void goodbye(ControlDialog by) {
    if (!departures.isUnderWay()) {
      endedBySnapt();
    } else if (by == watch.holder()) {
      session = null; // another SNAPT is asked for it
    }
  }

  @Override
  public ControlListener listener() {
    return listener;
  }

  @Override
  public void relays(List<Relay> listed, boolean complete, ByteString signed) {
    Welcomed by = session;
    news.take(by == null ? "" : by.welcome().getSnaptId(), listed, complete, signed);
  }

  @Override
  public boolean believesBridge() {
    return bridge.isSigned();
  }

  @Override
  public void ended(ControlDialog closed, ControlFailure why, String detail) {
    if (departures.hasLost(closed)) {
      counts.failed(why);
      if (!stopped) {
        listener.lost(why, detail); // the attempt at the other SNAPT goes on
      }
      return;
    }
    dialog = null;
    if (why != ControlFailure.NETWORK_CHANGED && departures.turnBack(why.label() + ": " + detail)) {
      counts.failed(why);
      return;
    }
    failed(why, detail, closed.isEstablished());
  }

  private void failed(ControlFailure why, String detail, boolean wasEstablished) {
    retries.cancel();
    attempts.giveUp();
    counts.failed(why);
    if (stopped) {
      return;
    }
    if (departures.isUnderWay()) {
      retries.tell(candidates.current(), why, detail);
      departures.stay(true);
      return;
    }
    Snapt tried = candidates.current();
    boolean ours = why == ControlFailure.NETWORK_CHANGED;
    long nowNs = loop.ticker().nanoTime();
    if (!ours) {
      retries.tell(tried, why, detail);
      boolean carries = session != null && listener.livesWithoutControl();
      if (!wasEstablished && candidates.failed(retries.isHopeless(), carries, nowNs)) {
        giveUp();
        if (session == null && listener.isSurplus()) {
          listener.lost(why, detail);
          fallAsleep(tried + " has not come back");
          return;
        }
      }
    }
    boolean resting =
        retries.isDrained() && !wasEstablished && listener.isSpare() && candidates.restAt(tried);
    retries.forget();
    listener.lost(why, detail);
    if (resting) {
      awaitRestEnd();
      return;
    }
    boolean atOnce =
        ours || (wasEstablished && (why == ControlFailure.CLOSED || why == ControlFailure.GOODBYE));
    boolean waiting = why.isAbsence() && candidates.isPatient(nowNs);
    long pauseMs = atOnce ? 0 : waiting ? backOff.patient() : backOff.next();
    retries.after(pauseMs, this::connect);
  }

  // The SNAPT has not come back. Its session ends here, unless datagrams still pass.
  private void giveUp() {
    if (listener.gaveUp()) {
      endSession();
    }
  }

  // A next session there would end that of another client, if the SNAPT has one.
  private void endedBySnapt() {
    Welcomed over = session;
    session = null;
    if (over != null && candidates.visits(over.snapt()) != 0 && !departures.hasWayBack()) {
      endSession();
      listener.rested("its SNAPT has ended the session that was handed over");
    }
  }

  private void endSession() {
    session = null;
    candidates.sessionOver();
    endReceipts();
  }

  private void endReceipts() {
    if (receipts != null) {
      receipts.ended();
    }
  }

  /// Returns the counts; any thread may call this.
  public ControlCounts counts() {
    return counts;
  }

  /// Returns the number of lists, and of SNAPTs in them, that were ignored; any thread may call
  /// this.
  public long relaysIgnored() {
    return news.ignored();
  }

  /// Ends the session: sends Goodbye, signs the last receipt, and closes the connection. Blocks
  /// until then, for little longer than a second.
  public void close(String reason) {
    Promise<Void> left = loop.newPromise();
    loop.execute(() -> {
      stopped = true;
      retries.close();
      news.close();
      endReceipts();
      ControlDialog leaving = departures.close();
      ControlDialog begun = leaving == null ? null : dialog;
      ControlDialog open = leaving == null ? dialog : leaving;
      dialog = null;
      if (begun != null) {
        begun.drop(reason);
      }
      if (open != null && open.isEstablished()) {
        open.leave(reason, () -> left.trySuccess(null));
        return;
      }
      if (open != null) {
        open.close(ControlFailure.CLOSED, reason);
      }
      left.trySuccess(null);
    });
    left.awaitUninterruptibly(CLOSE_MS_MAX);
  }
}
