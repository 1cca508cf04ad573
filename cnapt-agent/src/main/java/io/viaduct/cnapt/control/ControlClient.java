package io.viaduct.cnapt.control;

import com.google.protobuf.ByteString;
import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import io.netty.handler.ssl.SslContext;
import io.netty.util.concurrent.Promise;
import io.netty.util.concurrent.ScheduledFuture;
import io.viaduct.cnapt.links.Remote;
import io.viaduct.cnapt.links.UsableLink;
import io.viaduct.cnapt.receipts.ReceiptLedger;
import io.viaduct.tunnel.control.v1.CreditNotice;
import io.viaduct.tunnel.control.v1.LineRate;
import io.viaduct.tunnel.control.v1.Moved;
import io.viaduct.tunnel.control.v1.RefusalCode;
import io.viaduct.tunnel.control.v1.Relay;
import io.viaduct.tunnel.wire.DatagramHeader;
import java.net.InetAddress;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Keeps a control connection to one of the SNAPTs, across network changes. Decides which SNAPT to
/// try, when to try again, and which session to resume. [ControlDialog] then exchanges the
/// messages. Any thread may call the methods; all state belongs to the control event loop.
public final class ControlClient implements ControlDialog.Owner {
  private static final Logger LOG = LoggerFactory.getLogger(ControlClient.class);

  private static final long CLOSE_MS_MAX = 1_500;

  private final EventLoop loop;
  private final Attempts attempts;
  private final ControlSettings settings;
  private final DeviceIdentity device;
  private final Greeting greeting;
  private final @Nullable ReceiptLedger ledger;
  private final int line;
  private final ControlListener listener;
  private final RandomGenerator random;
  private final Candidates candidates;
  private final BackOff backOff;
  private final BridgeDirectory bridge;
  private final SnaptNews news;
  private final ControlCounts counts = new ControlCounts();

  private byte @Nullable [] token; // null before the first one
  private @Nullable ControlDialog dialog;
  private @Nullable Departure departing;
  private final WayBack<ControlDialog, Welcomed> wayBack = new WayBack<>();
  private @Nullable ScheduledFuture<?> retry;
  private @Nullable ScheduledFuture<?> restEnd;
  private boolean away; // no link can be used
  private boolean stopped;
  private boolean hopeless;
  private boolean drains; // and has refused
  private @Nullable Welcomed session;
  private String loggedWords = "";

  /// @param tls called at the first attempt, because it reads files and loads classes
  /// @param mark SO_MARK of the connection; 0 means none
  /// @param links links that may carry the connection, the preferred one first; called on the loop
  /// @param ledger signs receipts, used only on the loop from now on; null if this end signs none
  /// @param line number of this client among those of the device, for the ledger
  /// @param claims of all clients of the device
  /// @param bridge checks the directories that SNAPTs carry
  public ControlClient(
      EventLoop loop,
      Supplier<SslContext> tls,
      int mark,
      Supplier<List<UsableLink>> links,
      ControlSettings settings,
      SnaptSettings bootstrap,
      DeviceIdentity device,
      Greeting greeting,
      @Nullable ReceiptLedger ledger,
      int line,
      SnaptClaims claims,
      BridgeDirectory bridge,
      RandomGenerator random,
      ControlListener listener) {
    this.loop = loop;
    this.attempts = new Attempts(loop, tls, mark, links, settings);
    this.settings = settings;
    this.device = device;
    this.greeting = greeting;
    this.ledger = ledger;
    this.line = line;
    this.random = random;
    this.listener = listener;
    this.candidates = new Candidates(bootstrap, settings.snaptPatience().toNanos(), claims);
    this.backOff = new BackOff(settings, random);
    this.bridge = bridge;
    this.news =
        new SnaptNews(
            loop,
            bridge,
            claims.order(),
            listener,
            snapts -> {
              candidates.replace(snapts);
              listener.relays(candidates.offered());
            });
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
      Departure leaving = departing;
      if (leaving != null) {
        leaving.from().present(shown);
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
    loop.execute(() -> {
      if (departing == null) {
        backOff.succeeded();
        leave(why, null);
      }
    });
  }

  /// Leaves the SNAPT for this one and no other, as [#moveOn]. If it does not take the device, the
  /// listener hears of it, and the session stays.
  ///
  /// @param why sent with the Goodbye
  public void moveTo(Snapt only, String why) {
    loop.execute(() -> {
      if (departing == null) {
        backOff.succeeded();
        leave(why, only);
      }
    });
  }

  /// Returns whether another SNAPT is asked to take the place of the present one. Must be called on
  /// the loop.
  public boolean isMoving() {
    return departing != null;
  }

  private void leave(String why, @Nullable Snapt only) {
    ControlDialog open = dialog;
    if (open == null || !open.isEstablished() || departing != null || !listener.mayLeave()) {
      return;
    }
    if (only != null && !candidates.leaveFor(only)) {
      listener.notTaken();
      return;
    }
    if (only == null && !candidates.leave()) {
      if (listener.isSpare()) {
        rest(open, why);
      }
      return;
    }
    LOG.info("leaving {} for {}: {}", session, candidates.current(), why);
    departing = Departure.wanted(open, why, only);
    dialog = null;
    connect();
  }

  /// Ends the session although no other SNAPT is free, because others of the device's SNAPTs carry:
  /// a SNAPT that drains becomes empty. Another session begins when the SNAPT serves again.
  private void rest(ControlDialog open, String why) {
    LOG.info("leaving {} without another one: {}", session, why);
    dialog = null;
    session = null;
    cancelRetry();
    attempts.giveUp();
    candidates.rest();
    ReceiptLedger signing = ledger;
    if (signing != null) {
      signing.ended(line);
    }
    listener.rested(why);
    open.leave(why, () -> {});
    awaitRestEnd();
  }

  // Lists tell that the SNAPT serves again, if they have told that it drains.
  private void awaitRestEnd() {
    cancel(restEnd);
    restEnd = loop.schedule(this::endRest, backOff.next(), TimeUnit.MILLISECONDS);
  }

  private void endRest() {
    if (departing != null) {
      awaitRestEnd(); // the one that is left has not gone yet
    } else if (dialog == null && retry == null && candidates.restIsOver()) {
      connect();
    }
  }

  private void connectUnlessBusy() {
    if (dialog == null && departing == null && retry == null) {
      connect();
    }
  }

  /// Goes on with the session that was to be left, and tries to leave it later, unless the only
  /// SNAPT that may take its place has failed.
  private void stay(boolean isRefused) {
    Departure failed = departing;
    if (failed == null) {
      return;
    }
    ControlDialog given = dialog;
    Snapt only = failed.only();
    departing = null;
    dialog = failed.from();
    hopeless = false;
    drains = false;
    attempts.giveUp();
    candidates.stay();
    cancelRetry();
    if (only != null && isRefused) {
      listener.notTaken();
    } else {
      String why = failed.whyAgain();
      retry = loop.schedule(() -> leave(why, only), backOff.next(), TimeUnit.MILLISECONDS);
    }
    if (given != null) {
      given.drop("the device stays where it is");
    }
  }

  /// Reconnects at once, because the device is on another network.
  public void networkChanged() {
    loop.execute(() -> {
      candidates.networkChanged();
      again("the network has changed");
    });
  }

  /// Takes a change of the links that can be used. A connection stays while its own link does, and
  /// waits for its link while there is none.
  ///
  /// @param now all usable links
  public void linksChanged(List<UsableLink> now) {
    loop.execute(() -> {
      boolean returned = away && !now.isEmpty();
      away = now.isEmpty();
      if (away) {
        return;
      }
      ControlDialog other = dialog;
      if (other != null && !other.isHeldBy(now)) {
        stay(false);
      }
      ControlDialog open = holder();
      if (open == null || !open.isHeldBy(now)) {
        candidates.networkChanged();
        again("its link is gone");
      } else if (returned) {
        open.check();
      }
    });
  }

  /// Reconnects by another way if nothing arrives by that of the connection, although its link is
  /// up.
  ///
  /// @param link name of the link
  /// @param remote the place that nothing arrives from
  public void pathSilent(String link, Remote remote) {
    loop.execute(() -> {
      ControlDialog open = holder();
      if (open != null && open.isBy(link, remote)) {
        again("nothing arrives by its way");
      }
    });
  }

  /// Reconnects at once, because datagrams are lost although the link is up.
  public void pathDead() {
    loop.execute(() -> again("the path is dead"));
  }

  /// Returns the dialog that has the session, null if there is none.
  private @Nullable ControlDialog holder() {
    Departure leaving = departing;
    return leaving == null ? dialog : leaving.from();
  }

  private void again(String why) {
    stay(false);
    backOff.succeeded();
    ControlDialog open = dialog;
    if (open == null) {
      connect();
    } else {
      open.close(ControlFailure.NETWORK_CHANGED, why);
    }
  }

  private void connect() {
    cancelRetry();
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
        new ControlDialog(loop, settings, greeting, device, shown, resumption(snapt), ledger, this);
    dialog = begun;
    begun.begin(attempts.connection(snapt, context, backOff.failures(), begun));
  }

  private Resumption resumption(Snapt at) {
    Welcomed held = session;
    Welcomed left = wayBack.left(loop.ticker().nanoTime());
    if (held != null && held.snapt().isSameProcess(at)) {
      return held.resumption();
    }
    return left != null && left.snapt().isSameProcess(at)
        ? left.resumption()
        : new Resumption("", random.nextInt(1, DatagramHeader.RECEIVER_INDEX_MAX + 1));
  }

  @Override
  public void welcomed(Welcomed by) {
    if (stopped) {
      return;
    }
    Departure left = departing;
    if (left != null && !left.isArrival(by, listener.mayLeave())) {
      part("the device stays where it is");
      stay(false);
      return;
    }
    if (left == null && wayBack.isOpen() && !by.welcome().getResumed()) {
      part("the device stays where it is");
      turnBack("it does not know the session any more");
      return;
    }
    if (!candidates.succeeded(by.snapt(), by.welcome().getSnaptId())) {
      String words = "the device is at this SNAPT already";
      if (by.welcome().getResumed()) {
        session = null;
      }
      part(words);
      hopeless = true;
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
    loggedWords = "";
    departing = null;
    if (left != null) {
      arrived(left, before, welcomed);
    }
    LOG.info("{}", welcomed);
    listener.welcomed(welcomed);
  }

  /// Ends the session that was left: at once, or when its SNAPT says that the hand-over is done.
  private void arrived(Departure left, @Nullable Welcomed before, Welcomed now) {
    decided();
    if (left.isDecided() || before == null) {
      left.leave();
      return;
    }
    wayBack.open(new WayBack.Old<>(left.from(), before), left.handOver(), now);
    left.from().linger(wayBack::close);
  }

  /// Leaves the old SNAPT of a hand-over for good.
  private void decided() {
    ControlDialog old = wayBack.close();
    if (old != null) {
      old.leave(Departure.HANDED_OVER, () -> {});
    }
  }

  @Override
  public void moveDone(ControlDialog by, long number) {
    if (wayBack.isOpenFrom(by)) {
      decided();
      return;
    }
    Welcomed taken = wayBack.takenNevertheless(number, loop.ticker().nanoTime());
    if (by == dialog && departing == null && taken != null && candidates.leaveFor(taken.snapt())) {
      LOG.info("leaving {} for {} again: it has taken the session over", session, taken.snapt());
      depart(Departure.handedOver(by, number, true));
    }
  }

  @Override
  public void moveUndecided(ControlDialog by) {
    ControlDialog open = dialog;
    if (!wayBack.isOpenFrom(by)) {
      by.leave(Departure.HANDED_OVER, () -> {});
    } else if (open != null && open.isEstablished() && !listener.isSilent()) {
      decided();
    } else {
      turnBack("it does not answer");
    }
  }

  /// Goes on at the SNAPT that has handed the session over, because the other one was lost before
  /// that one has said that it is done: it has the session until then.
  ///
  /// @return false if no hand-over is open
  private boolean turnBack(String why) {
    WayBack.Old<ControlDialog, Welcomed> old = wayBack.turn(loop.ticker().nanoTime());
    if (old == null) {
      return false;
    }
    LOG.warn("going back to {}: {} is lost: {}", old.session(), candidates.current(), why);
    counts.moveTurnedBack();
    ControlDialog given = dialog;
    dialog = old.by();
    session = old.session();
    hopeless = false;
    drains = false;
    backOff.succeeded();
    attempts.giveUp();
    cancelRetry();
    candidates.turnBack(old.session().snapt());
    listener.turnedBack(old.session());
    if (given != null) {
      given.drop("the session goes on at another SNAPT");
    }
    old.by().stay();
    return true;
  }

  @Override
  public void moved(ControlDialog by, Moved moved) {
    Relay to = moved.getTo();
    Optional<Snapt> other = Snapt.listed(to.getSnaptId(), to.getHost(), to.getControlPort());
    if (by != dialog || departing != null) {
      return; // it leaves already
    }
    if (moved.getNumber() == 0 || other.isEmpty() || !candidates.leaveFor(other.get())) {
      counts.moveRefused();
      LOG.warn(
          "{} hands the session over to {}, which the device may not use now: it stays",
          session,
          other.map(Snapt::toString).orElse("no SNAPT"));
      return;
    }
    LOG.info("leaving {} for {}: it takes the session over", session, other.get());
    depart(Departure.handedOver(by, moved.getNumber(), false));
  }

  private void depart(Departure now) {
    departing = now;
    dialog = null;
    backOff.succeeded();
    connect();
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
    switch (code) {
      case TOKEN_MALFORMED,
          TOKEN_FORGED,
          TOKEN_EXPIRED,
          TOKEN_NOT_YET_VALID,
          TOKEN_AUDIENCE,
          PROOF_INVALID ->
          listener.tokenRefused(words);
      case SESSION_ACCOUNT_MISMATCH, RECEIPTS_OWED -> {
        if (departing == null) { // otherwise the session is not the one that was asked for
          session = null;
        }
      }
      case SESSIONS_EXHAUSTED -> hopeless = true;
      case DRAINING -> {
        hopeless = true;
        drains = true;
      }
      default -> {}
    }
  }

  @Override
  public void goodbye(ControlDialog by) {
    if (departing == null || by == holder()) {
      session = null;
    }
  }

  @Override
  public void credit(CreditNotice notice) {
    listener.credit(notice);
  }

  @Override
  public void lineRate(LineRate rate) {
    listener.lineRate(rate.getBitPerSecond(), rate.getQueuedBytesList());
  }

  @Override
  public void tokenAccepted(long expiresMs) {
    listener.tokenAccepted(expiresMs);
  }

  @Override
  public long carriedBytes() {
    return listener.carriedBytes();
  }

  @Override
  public void datagrams(List<ByteBuf> datagrams, Runnable taken) {
    listener.datagrams(datagrams, taken);
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
    Departure leaving = departing;
    if (leaving != null && closed == leaving.from()) {
      departing = null;
      candidates.gone();
      counts.failed(why);
      if (!stopped) {
        listener.lost(why, detail); // the attempt at the other SNAPT goes on
      }
      return;
    }
    dialog = null;
    if (why != ControlFailure.NETWORK_CHANGED && turnBack(why.label() + ": " + detail)) {
      counts.failed(why);
      return;
    }
    failed(why, detail, closed.isEstablished());
  }

  private void failed(ControlFailure why, String detail, boolean wasEstablished) {
    cancelRetry();
    attempts.giveUp();
    counts.failed(why);
    if (stopped) {
      return;
    }
    if (departing != null) {
      tell(why, detail);
      stay(true);
      return;
    }
    Snapt tried = candidates.current();
    boolean ours = why == ControlFailure.NETWORK_CHANGED;
    long nowNs = loop.ticker().nanoTime();
    if (!ours) {
      tell(why, detail);
      boolean carries = session != null && listener.livesWithoutControl();
      if (!wasEstablished && candidates.failed(hopeless, carries, nowNs)) {
        giveUp();
      }
    }
    boolean resting = drains && !wasEstablished && listener.isSpare() && candidates.restAt(tried);
    hopeless = false;
    drains = false;
    listener.lost(why, detail);
    if (resting) {
      awaitRestEnd();
      return;
    }
    boolean atOnce =
        ours || (wasEstablished && (why == ControlFailure.CLOSED || why == ControlFailure.GOODBYE));
    boolean waiting = why.isAbsence() && candidates.isPatient(nowNs);
    long pauseMs = atOnce ? 0 : waiting ? backOff.patient() : backOff.next();
    retry = loop.schedule(() -> connect(), pauseMs, TimeUnit.MILLISECONDS);
  }

  // The SNAPT has not come back. Its session ends here, unless datagrams still pass.
  private void giveUp() {
    if (listener.gaveUp()) {
      session = null;
      ReceiptLedger signing = ledger;
      if (signing != null) {
        signing.ended(line);
      }
    }
  }

  // A repeated failure is logged once, not for each attempt.
  private void tell(ControlFailure why, String detail) {
    String words = candidates.current() + ": " + why.label() + ": " + detail;
    if (!words.equals(loggedWords)) {
      loggedWords = words;
      LOG.warn("control connection to {}", words);
    }
  }

  private void cancelRetry() {
    cancel(retry);
    retry = null;
  }

  private static void cancel(@Nullable ScheduledFuture<?> armed) {
    if (armed != null) {
      armed.cancel(false);
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
      cancelRetry();
      cancel(restEnd);
      news.close();
      ReceiptLedger signing = ledger;
      if (signing != null) {
        signing.ended(line);
      }
      decided();
      ControlDialog begun = departing == null ? null : dialog;
      ControlDialog open = holder();
      dialog = null;
      departing = null;
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
