package io.viaduct.snapt.binding;

import com.google.protobuf.ByteString;
import io.netty.buffer.ByteBuf;
import io.viaduct.service.operations.Tally;
import io.viaduct.snapt.napt.AddressPool;
import io.viaduct.snapt.napt.PublicAddress;
import io.viaduct.tunnel.control.ControlLine;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.PriorityQueue;
import java.util.UUID;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/// The registry of all sessions of this SNAPT. Admits sessions, assigns each its event loop and
/// addresses, and ends it. A device key has at most one session, and beside it those that other
/// SNAPTs have handed over. Owned by the control thread.
public final class SessionRegistry {
  /// Receiver indices are 24 bits wide.
  private static final int RECEIVER_INDICES = 1 << 24;

  // Longest time, in ms, until the registry removes an ended session or notices an earlier expiry.
  private static final long CHECK_MS_MAX = 10_000;

  // In percent. New flows avoid a SNAPT above 80 % the more the fuller it is, so near there the
  // load is told in fine steps. Below, coarse steps make fewer messages.
  private static final int LOAD_STEP = 10;
  private static final int LOAD_STEP_FINE = 2;
  private static final int LOAD_FINE_ABOVE = 70;
  private static final int LOAD_FULL = 100;

  private record Check(Session session, long atMs) {}

  private final int sessionsMax;
  private final long idleMs;
  private final AddressPool pool;
  private final SessionCarrier carrier;
  private final BooleanSupplier spoolFull;
  private final RandomGenerator random;
  private final Tally<SessionEnd> ends = new Tally<>(SessionEnd.class);
  private final Map<UUID, Session> byId = new HashMap<>();
  private final Map<ByteString, Session> byDevice = new HashMap<>(); // that a new one replaces
  private final Map<Integer, Session> byReceiver = new HashMap<>();
  private final PriorityQueue<Check> checks =
      new PriorityQueue<>(Comparator.comparingLong(Check::atMs));
  private final int[] sessionsOfLoop;
  private final Arrivals arrivals = new Arrivals();
  private BiConsumer<Session, SessionEnd> endListener = (session, why) -> {};
  private boolean draining;
  private boolean stopped;
  private volatile int size; // written by the control thread
  private volatile int load; // likewise

  /// The result of an admission.
  public sealed interface Admission {
    /// The session is admitted, as a new or a resumed one.
    record Admitted(Session session, boolean resumed) implements Admission {}

    /// The session is refused.
    record Refused(Reason reason) implements Admission {}
  }

  /// The reasons for a refusal.
  public enum Reason {
    SESSIONS_EXHAUSTED,
    SPOOL_FULL,
    DRAINING,
    /// The session to be resumed belongs to another account or device.
    NOT_ITS_SESSION,
    /// The session that the device was told to come with is not waited for.
    NOT_HANDED_OVER
  }

  /// @param spoolFull returns true if the spool has no room for more usage reports
  /// @param random source of receiver indices and session ids
  public SessionRegistry(
      int sessionsMax,
      Duration idle,
      AddressPool pool,
      SessionCarrier carrier,
      BooleanSupplier spoolFull,
      RandomGenerator random) {
    this.sessionsMax = sessionsMax;
    this.idleMs = idle.toMillis();
    this.pool = pool;
    this.carrier = carrier;
    this.spoolFull = spoolFull;
    this.random = random;
    this.sessionsOfLoop = new int[carrier.loops()];
  }

  /// Sets the listener that is called for each ended session.
  public void onEnd(BiConsumer<Session, SessionEnd> listener) {
    endListener = listener;
  }

  /// Returns the sessions that other SNAPTs hand over.
  public Arrivals arrivals() {
    return arrivals;
  }

  /// Returns whether new sessions are admitted.
  public boolean isServing() {
    return !stopped && !draining;
  }

  /// Returns whether there is room for another session.
  public boolean hasRoom() {
    return byId.size() < sessionsMax && !spoolFull.getAsBoolean();
  }

  /// Notes whether another SNAPT takes the address of a session over: it then does not become free
  /// with the session's end.
  public void passOn(Session session, boolean isPassedOn) {
    boolean isOpen = isOpen(session);
    if (isPassedOn == session.isPassedOn() || isPassedOn && !isOpen) {
      return; // a session that ended before has freed it
    }
    session.passOn(isPassedOn);
    if (!isOpen) {
      free(session); // it has ended meanwhile
    }
  }

  /// Returns whether a session has an address, of either family.
  public boolean has(PublicAddress address) {
    return byId.values().stream().anyMatch(each -> each.address().overlaps(address));
  }

  /// Frees the address of a session that other SNAPTs have returned, unless a session has it or may
  /// get it: it then becomes free with this one.
  ///
  /// @param address of any pool
  public void returned(PublicAddress address) {
    int slot = pool.slotOf(address);
    if (slot < 0) {
      return;
    }
    Optional<Session> having =
        byId.values().stream().filter(each -> each.address().overlaps(address)).findFirst();
    if (having.isPresent()) {
      having.get().passOn(false); // its end frees the address
    } else if (!arrivals.has(address)) {
      pool.release(slot);
    }
  }

  /// Keeps the address of a session that another SNAPT has or hands over: no device gets it before
  /// [#returned].
  ///
  /// @param address of any pool
  public void keep(PublicAddress address) {
    int slot = pool.slotOf(address);
    if (slot >= 0) {
      pool.keep(slot);
    }
  }

  /// Opens a new session, or resumes the session that the device names.
  ///
  /// @param token a verified token
  /// @param resume id of the session to resume, empty for a new one; an unknown id also opens a new
  ///   session, because this SNAPT may have restarted
  /// @param handOver number of the hand-over with which the device comes: its session is opened
  ///   beside the one that the device may have here, or none. 0 for none, or if the device does not
  ///   tell: then the session replaces that one
  public Admission admit(
      ShownToken token, String resume, long handOver, Session.Terms terms, long nowMs) {
    Session named = find(resume);
    if (named != null && !isOf(named, token)) {
      return new Admission.Refused(Reason.NOT_ITS_SESSION);
    }
    if (stopped || draining && named == null) {
      return new Admission.Refused(Reason.DRAINING);
    }
    if (named != null) {
      named.token(token);
      named.heard(nowMs);
      return new Admission.Admitted(named, true);
    }
    if (spoolFull.getAsBoolean()) {
      return new Admission.Refused(Reason.SPOOL_FULL);
    }
    Session before = byDevice.get(token.deviceKey());
    if (before != null && handOver == 0) {
      end(before, SessionEnd.SUPERSEDED);
    }
    if (byId.size() >= sessionsMax) {
      return new Admission.Refused(Reason.SESSIONS_EXHAUSTED);
    }
    boolean mayArrive = before == null || handOver != 0;
    Arrival arrival = mayArrive ? arrivals.claim(token.deviceKey(), terms.inner(), handOver) : null;
    if (arrival == null && handOver != 0) {
      return new Admission.Refused(Reason.NOT_HANDED_OVER);
    }
    if (arrival != null) {
      int slot = pool.slotOf(arrival.address());
      return new Admission.Admitted(
          open(token, terms, arrival.address(), slot, arrival, nowMs), false);
    }
    OptionalInt slot = pool.assign(token.deviceKey().toByteArray());
    if (slot.isEmpty()) {
      return new Admission.Refused(Reason.SESSIONS_EXHAUSTED);
    }
    PublicAddress own = pool.address(slot.getAsInt());
    return new Admission.Admitted(open(token, terms, own, slot.getAsInt(), null, nowMs), false);
  }

  private Session open(
      ShownToken token,
      Session.Terms terms,
      PublicAddress address,
      int slot,
      @Nullable Arrival arrival,
      long nowMs) {
    UUID id = new UUID(random.nextLong() & ~0xF000L | 0x4000L, random.nextLong() >>> 2 | 1L << 63);
    Session session =
        new Session(id, token, terms, drawReceiverIndex(), address, slot, arrival, nowMs);
    byId.put(id, session);
    byDevice.putIfAbsent(token.deviceKey(), session);
    byReceiver.put(session.receiverIndex(), session);
    sessionsOfLoop[loopOf(session)]++;
    resized();
    checkLater(session, nowMs);
    carrier.carry(session);
    return session;
  }

  private @Nullable Session find(String id) {
    try {
      return id.isEmpty() ? null : byId.get(UUID.fromString(id));
    } catch (IllegalArgumentException _) {
      return null; // not a valid session id
    }
  }

  private static boolean isOf(Session session, ShownToken token) {
    return session.token().getAccount().equals(token.content().getAccount())
        && session.shown().deviceKey().equals(token.deviceKey());
  }

  private int drawReceiverIndex() {
    int loop = 0;
    for (int i = 1; i < sessionsOfLoop.length; i++) {
      loop = sessionsOfLoop[i] < sessionsOfLoop[loop] ? i : loop;
    }
    int index;
    do {
      index = random.nextInt(RECEIVER_INDICES) & -sessionsOfLoop.length | loop;
    } while (byReceiver.containsKey(index));
    return index;
  }

  private int loopOf(Session session) {
    return session.receiverIndex() & sessionsOfLoop.length - 1;
  }

  /// Replaces the token of a session by a newer one.
  ///
  /// @return false if the token is for another account or device; the session then keeps its token
  public boolean renew(Session session, ShownToken token) {
    if (!isOf(session, token)) {
      return false;
    }
    session.token(token);
    return true;
  }

  /// Returns whether a session is open.
  public boolean isOpen(Session session) {
    return byId.get(session.id()) == session;
  }

  /// Runs something once the session's datagrams are accepted.
  ///
  /// @param then run on any thread
  public void onceCarried(Session session, Runnable then) {
    carrier.onceCarried(session, then);
  }

  /// Sets the control connection of a session, or null if it has none.
  public void control(Session session, ControlLine.@Nullable Connection connection) {
    if (isOpen(session)) {
      carrier.control(session, connection);
    }
  }

  /// Passes on datagrams of a session that arrived in its control connection.
  public void datagrams(Session session, List<ByteBuf> datagrams, Runnable taken) {
    if (isOpen(session)) {
      carrier.datagrams(session, datagrams, taken);
    } else {
      datagrams.forEach(ByteBuf::release);
      taken.run();
    }
  }

  /// Ends a session, unless it has already ended.
  public void end(Session session, SessionEnd why) {
    if (!byId.remove(session.id(), session)) {
      return;
    }
    byDevice.remove(session.token().getDeviceKey(), session);
    byReceiver.remove(session.receiverIndex());
    sessionsOfLoop[loopOf(session)]--;
    resized();
    carrier.end(session);
    ends.count(why);
    if (!session.isPassedOn()) {
      free(session);
    }
    endListener.accept(session, why);
  }

  private void free(Session session) {
    Arrival arrival = session.arrival();
    if (arrival == null) {
      pool.release(session.slot());
    } else {
      arrival.listener().over(session);
    }
  }

  private void resized() {
    size = byId.size();
    int percent = (int) (100L * size / sessionsMax);
    int step = Math.max(percent, load) > LOAD_FINE_ABOVE ? LOAD_STEP_FINE : LOAD_STEP;
    if (Math.abs(percent - load) > step || percent == LOAD_FULL) {
      load = percent / step * step;
    }
  }

  private void checkLater(Session session, long nowMs) {
    long expiresMs = session.token().getExpiresMs();
    long tokenMs = nowMs < expiresMs ? expiresMs : nowMs + CHECK_MS_MAX;
    long overMs = Math.min(tokenMs, session.heardMs() + idleMs);
    checks.add(new Check(session, Math.min(overMs, nowMs + CHECK_MS_MAX)));
  }

  /// Ends sessions that are idle, or whose device was heard after its token and has shown no newer
  /// one in time. Checks only the sessions that are due.
  public void onTick(long nowMs) {
    arrivals.onTick(nowMs);
    for (Check next = checks.peek(); next != null && next.atMs() <= nowMs; next = checks.peek()) {
      checks.remove();
      check(next.session(), nowMs);
    }
  }

  private void check(Session session, long nowMs) {
    if (byId.get(session.id()) != session) {
      return; // the session has ended
    }
    if (session.isOverdue(nowMs)) {
      end(session, SessionEnd.TOKEN_EXPIRED);
    } else if (nowMs - session.heardMs() >= idleMs) {
      end(session, SessionEnd.IDLE);
    } else {
      checkLater(session, nowMs);
    }
  }

  /// Refuses new sessions, or admits them again. Open sessions go on, and are resumed.
  public void drain(boolean now) {
    draining = now;
  }

  /// Ends all open sessions.
  public void endAll(SessionEnd why) {
    for (Session session : new ArrayList<>(byId.values())) {
      end(session, why);
    }
  }

  /// Refuses all sessions from now on, also those to be resumed, and ends the open ones.
  public void stop() {
    stopped = true;
    arrivals.stop();
    endAll(SessionEnd.STOPPED);
  }

  /// Returns the share of the sessions that are open, in percent, rounded down to tens. It changes
  /// only when the share has moved by more than ten, because each change is told to all devices.
  /// Any thread may call this.
  public int loadPercent() {
    return load;
  }

  /// Returns the open sessions.
  public Collection<Session> sessions() {
    return byId.values();
  }

  /// Returns the session with this id, if it is open.
  public Optional<Session> find(UUID id) {
    return Optional.ofNullable(byId.get(id));
  }

  /// Returns the session that has come by a hand-over, if it is open.
  public Optional<Session> of(Arrival arrival) {
    return byId.values().stream().filter(each -> each.arrival() == arrival).findFirst();
  }

  /// Returns the session of a device that a new one would replace, if it has one.
  ///
  /// @param key the device's public key, 32 raw bytes
  public Optional<Session> ofDevice(ByteString key) {
    return Optional.ofNullable(byDevice.get(key));
  }

  /// Returns the number of open sessions; any thread may call this.
  public int size() {
    return size;
  }

  /// Returns the counts of ended sessions by reason; any thread may call this.
  public Tally<SessionEnd> ends() {
    return ends;
  }
}
