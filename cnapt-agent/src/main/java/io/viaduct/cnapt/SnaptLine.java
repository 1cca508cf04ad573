package io.viaduct.cnapt;

import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import io.viaduct.cnapt.control.ControlClient;
import io.viaduct.cnapt.control.ControlFailure;
import io.viaduct.cnapt.control.ControlListener;
import io.viaduct.cnapt.control.HandshakeRace;
import io.viaduct.cnapt.control.Snapt;
import io.viaduct.cnapt.control.Welcomed;
import io.viaduct.cnapt.receipts.LineReceipts;
import io.viaduct.cnapt.snapts.SnaptTerms;
import io.viaduct.cnapt.tunnel.SessionParameters;
import io.viaduct.cnapt.tunnel.SessionSettings;
import io.viaduct.cnapt.tunnel.TunnelEnd;
import io.viaduct.tunnel.control.v1.CreditNotice;
import io.viaduct.tunnel.control.v1.LineRate;
import io.viaduct.tunnel.control.v1.Welcome;
import io.viaduct.tunnel.terms.TunnelTerms;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One SNAPT that the agent uses: passes the events of its control connection to its end of the
/// tunnel, and back. [UsedSnapts] owns the lines. The control loop calls the methods of
/// [ControlListener], the data loop those of [PathEvents.Owner].
final class SnaptLine
    implements ControlListener, PathEvents.Owner, NearerSnapts.Line, OpenLines.Line {
  private static final Logger LOG = LoggerFactory.getLogger(SnaptLine.class);

  /// Hears of what concerns the whole agent. Called on the loop of the event.
  interface Owner {
    /// Called after a Welcome, before its session is installed.
    ///
    /// @param fresh the terms of a new session; null if the session was resumed
    void welcomed(SnaptLine by, @Nullable TunnelTerms fresh);

    /// Called on the data loop when a session's keys or addresses are in place.
    void connected();

    /// Called when the control connection is lost.
    void lost(SnaptLine by);

    /// Returns whether another line carries packets, and is not about to stop.
    boolean carriesBeside(SnaptLine line);

    /// Returns whether another line has the same SNAPT, because a session was handed over to it.
    boolean sharesSnapt(SnaptLine line);

    /// Returns whether other lines suffice, so that none needs to follow the session of this one.
    boolean isSurplus(SnaptLine line);

    /// Called when a line has no session any more, and looks for none.
    void slept(SnaptLine by);

    /// Called when a line has ended its session because others carry.
    void rested(SnaptLine by);

    /// Called when only another token can help.
    void tokenRefused(String detail);

    /// Called when a SNAPT has sent its list.
    void relays(SnaptLine by, List<Snapt> relays);

    /// Returns what the newest list says about the SNAPT of a line. Any thread may call this.
    SnaptTerms termsOf(SnaptLine line);

    /// Called with what the bridge's directory says about all SNAPTs, by id.
    void terms(Map<String, SnaptTerms> told);

    /// Called for the first answer after a change of network or a dead path.
    void pathFound(SnaptLine by);

    /// Called when nothing arrives by any path of the line, although a link is up.
    void pathDead(SnaptLine by);
  }

  private final EventLoop dataLoop;
  private final SessionSettings settings;
  private final LineReceipts receipts;
  private final InstantSource clock;
  private final Owner owner;
  private final SessionState state = new SessionState();
  private volatile @Nullable Snapt sought; // nearer, or with less load; written by the control loop
  private Runnable soughtRefuses = () -> {};
  // Beside the session of another line, which has the new flows: this one ends with its last flow.
  private boolean isSecond; // owned by the control loop
  private boolean isSurplus; // one line too many serves; owned by the control loop
  private @Nullable TunnelEnd end; // set before the first connection
  private @Nullable ControlClient control; // likewise

  SnaptLine(
      EventLoop dataLoop,
      SessionSettings settings,
      LineReceipts receipts,
      InstantSource clock,
      Owner owner) {
    this.dataLoop = dataLoop;
    this.settings = settings;
    this.receipts = receipts;
    this.clock = clock;
    this.owner = owner;
  }

  /// Sets the two ends of the line.
  void join(TunnelEnd tunnel, ControlClient client) {
    end = tunnel;
    control = client;
  }

  LineReceipts receipts() {
    return receipts;
  }

  SessionState state() {
    return state;
  }

  TunnelEnd end() {
    return joined(end);
  }

  ControlClient control() {
    return joined(control);
  }

  private static <T> T joined(@Nullable T part) {
    if (part == null) {
      throw new IllegalStateException("the line is joined before it is used");
    }
    return part;
  }

  // --- the control connection

  @Override
  public void welcomed(Welcomed by) {
    Welcome welcome = by.welcome();
    Welcomed before = state.welcomed(by, clock.millis());
    if (welcome.getResumed()) {
      boolean moved = before == null || !before.peers().equals(by.peers());
      goesOn(by, moved);
      return;
    }
    sought = null; // the new session begins without
    isSurplus = false;
    TunnelTerms terms = by.terms(settings.limits());
    SessionParameters parameters =
        new SessionParameters(
            by.snapt().toString(),
            terms,
            settings.sending(),
            by.peers(),
            by.ownReceiverIndex(),
            receipts.begin(welcome.getSnaptId(), welcome.getSessionId(), welcome.getEpoch()));
    state.tunMtu(terms.limits().tunMtu());
    owner.welcomed(this, terms);
    boolean handedOver = welcome.getMovedNumber() != 0;
    Snapt other =
        handedOver || before == null || before.welcome().getSnaptId().equals(welcome.getSnaptId())
            ? null
            : before.snapt();
    dataLoop.execute(() -> {
      if (other != null) {
        abandon(other + " is left for another SNAPT");
      }
      if (handedOver) {
        end().follow(parameters);
      } else {
        end().install(parameters);
      }
      end().terms(owner.termsOf(this)); // before, the end has the session of another SNAPT
      end().control(by.connection());
      owner.connected();
    });
    isSecond = handedOver && owner.sharesSnapt(this);
    if (isSecond) {
      dataLoop.execute(() -> end().seeksNearer(true));
    }
  }

  @Override
  public void turnedBack(Welcomed to) {
    state.turnedBack(to);
    state.tunMtu(to.tunMtu(settings.limits()));
    goesOn(to, false);
  }

  private void goesOn(Welcomed session, boolean peersMoved) {
    Welcome welcome = session.welcome();
    receipts.goesOn(welcome.getSnaptId(), welcome.getSessionId(), welcome.getEpoch());
    owner.welcomed(this, null);
    dataLoop.execute(() -> {
      end().carryAgain(session.ownReceiverIndex());
      end().terms(owner.termsOf(this)); // they may have changed since it was left
      if (peersMoved) {
        end().peersMoved(session.peers());
      }
      end().control(session.connection());
      owner.connected();
    });
  }

  @Override
  public boolean isSilent() {
    return end().isSilent();
  }

  @Override
  public void lost(ControlFailure why, String detail) {
    state.lost(why, detail);
    owner.lost(this);
    dataLoop.execute(end()::controlLost);
  }

  @Override
  public void tokenRefused(String detail) {
    owner.tokenRefused(detail);
  }

  @Override
  public void tokenAccepted(long expiresMs) {
    state.tokenExpires(expiresMs);
  }

  @Override
  public void credit(CreditNotice notice) {
    String words = state.credit(notice);
    if (words.isEmpty()) {
      LOG.info("the credit of the account suffices again");
    } else {
      LOG.warn("{}", words);
    }
  }

  @Override
  public void relays(List<Snapt> relays) {
    state.snapts(relays);
    owner.relays(this, relays);
  }

  @Override
  public void told(boolean draining, long deadlineMs, int loadPercent) {
    state.told(draining, deadlineMs);
    dataLoop.execute(() -> end().told(draining, loadPercent / 100.0));
  }

  @Override
  public String name() {
    return end().name();
  }

  @Override
  public @Nullable Snapt snapt() {
    return state.snapt();
  }

  @Override
  public boolean isConnected() {
    return state.isConnected();
  }

  @Override
  public double roundTripMs() {
    return end().roundTripMs();
  }

  @Override
  public @Nullable Snapt sought() {
    return sought;
  }

  @Override
  public boolean isMoving() {
    return control().isMoving();
  }

  @Override
  public void seek(Snapt nearer, Runnable refuses) {
    sought = nearer;
    soughtRefuses = refuses;
    dataLoop.execute(() -> end().seeksNearer(true));
  }

  @Override
  public void stay() {
    sought = null;
    leaveOrStay();
  }

  private void leaveOrStay() {
    boolean isLeft = sought != null || isSecond || isSurplus;
    dataLoop.execute(() -> end().seeksNearer(isLeft));
  }

  @Override
  public void surplus(boolean isOne) {
    if (isSurplus != isOne) {
      isSurplus = isOne;
      leaveOrStay();
    }
  }

  @Override
  public boolean hasSession() {
    return state.peer() != null;
  }

  @Override
  public boolean isDraining() {
    return state.isDraining();
  }

  @Override
  public boolean answers() {
    return end().answers();
  }

  @Override
  public boolean isEnding() {
    return isSecond;
  }

  @Override
  public boolean hasFlows() {
    return end().hasFlows();
  }

  @Override
  public boolean isEmptied() {
    return end().isEmptied();
  }

  @Override
  public void open(HandshakeRace.Winner first) {
    control().open(first);
  }

  @Override
  public void sleep(String why) {
    control().sleep(why);
  }

  @Override
  public void leave(String why) {
    control().moveOn(why);
  }

  @Override
  public boolean isSurplus() {
    return owner.isSurplus(this);
  }

  @Override
  public void slept(String why) {
    isSecond = false;
    isSurplus = false;
    owner.slept(this);
    if (hasSession()) {
      rested(why);
    }
  }

  @Override
  public void notTaken() {
    if (sought != null) {
      stay();
      soughtRefuses.run();
    }
  }

  @Override
  public void lineRate(LineRate rate) {
    dataLoop.execute(() -> end().lineRate(rate));
  }

  @Override
  public void terms(Map<String, SnaptTerms> told) {
    owner.terms(told);
  }

  /// Sets what the newest list says about the SNAPT of this line.
  void terms(SnaptTerms told) {
    dataLoop.execute(() -> end().terms(told));
  }

  @Override
  public boolean mayLeave() {
    return isEmptied();
  }

  // Flows have an address of their SNAPT. If it is lost, nobody can carry them.
  private void abandon(String why) {
    int flows = end().abandon();
    if (flows > 0) {
      LOG.warn("{}: {} flows are reset", why, flows);
    }
  }

  @Override
  public boolean livesWithoutControl() {
    return end().carriesFlows();
  }

  /// Gives up the flows of a SNAPT that is away, if the network is not the cause: another SNAPT
  /// carries, and nothing comes from this one.
  @Override
  public boolean gaveUp() {
    boolean lost = end().isSilent() && owner.carriesBeside(this);
    if (lost) {
      dataLoop.execute(() -> {
        if (end().isSilent()) { // not if it was heard meanwhile
          abandon(end().name() + " has not come back");
        }
      });
    }
    return lost;
  }

  @Override
  public boolean isSpare() {
    return owner.carriesBeside(this);
  }

  @Override
  public void rested(String why) {
    sought = null;
    state.rested();
    owner.rested(this);
    dataLoop.execute(() -> abandon(why));
  }

  @Override
  public long carriedBytes() {
    return end().carriedBytes();
  }

  @Override
  public void datagrams(List<ByteBuf> datagrams, Runnable taken) {
    dataLoop.execute(() -> {
      end().controlDatagrams(datagrams);
      taken.run();
    });
  }

  // --- the data path

  @Override
  public void pathFound() {
    owner.pathFound(this);
  }

  @Override
  public void pathDead() {
    owner.pathDead(this);
  }

  @Override
  public void emptied() {
    Snapt nearer = sought;
    if (nearer == null) {
      control().moveOn("it is to be left, and has no flow of this device any more");
    } else {
      control()
          .moveTo(nearer, "another SNAPT is better, and it has no flow of this device any more");
    }
  }
}
