package io.viaduct.snapt.binding;

import com.google.protobuf.ByteString;
import io.netty.buffer.ByteBuf;
import io.viaduct.snapt.napt.AddressPool;
import io.viaduct.snapt.operations.Tally;
import io.viaduct.tunnel.session.ControlLine;
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

/// All sessions of this SNAPT: who may have one, which event loop and which addresses it gets, when
/// it ends. A device key has one session at most. The control thread owns it.
public final class SessionRegistry {
  /// Receiver indices are 24 bits wide.
  private static final int RECEIVER_INDICES = 1 << 24;

  // A session that has ended is forgotten, and an earlier expiry noticed, after this.
  private static final long CHECK_MS_MAX = 10_000;

  private record Check(Session session, long atMs) {}

  private final int sessionsMax;
  private final long idleMs;
  private final AddressPool pool;
  private final SessionCarrier carrier;
  private final BooleanSupplier spoolFull;
  private final RandomGenerator random;
  private final Tally<SessionEnd> ends = new Tally<>(SessionEnd.class);
  private final Map<UUID, Session> byId = new HashMap<>();
  private final Map<ByteString, Session> byDevice = new HashMap<>();
  private final Map<Integer, Session> byReceiver = new HashMap<>();
  private final PriorityQueue<Check> checks =
      new PriorityQueue<>(Comparator.comparingLong(Check::atMs));
  private final int[] sessionsOfLoop;
  private BiConsumer<Session, SessionEnd> endListener = (session, why) -> {};
  private boolean draining;
  private volatile int size;

  /// What an admission came to.
  public sealed interface Admission {
    /// The session, new or as it was.
    record Admitted(Session session, boolean resumed) implements Admission {}

    /// No session.
    record Refused(Reason reason) implements Admission {}
  }

  /// Why there is no session.
  public enum Reason {
    SESSIONS_EXHAUSTED,
    SPOOL_FULL,
    DRAINING,
    /// The session to be resumed belongs to another account or device.
    NOT_ITS_SESSION
  }

  /// @param spoolFull whether usage reports would find no place
  /// @param random draws receiver indices and session ids
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

  /// Told of each session that ended.
  public void onEnd(BiConsumer<Session, SessionEnd> listener) {
    endListener = listener;
  }

  /// Opens a session, or resumes the one that the device names.
  ///
  /// @param token verified
  /// @param resume empty for a new session; an unknown one is a new session too (this SNAPT may
  ///   have been started again)
  public Admission admit(ShownToken token, String resume, Session.Terms terms, long nowMs) {
    Session named = find(resume);
    if (named != null && !isOf(named, token)) {
      return new Admission.Refused(Reason.NOT_ITS_SESSION);
    }
    if (draining) {
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
    if (before != null) {
      end(before, SessionEnd.SUPERSEDED);
    }
    OptionalInt slot =
        byId.size() < sessionsMax
            ? pool.assign(token.deviceKey().toByteArray())
            : OptionalInt.empty();
    if (slot.isEmpty()) {
      return new Admission.Refused(Reason.SESSIONS_EXHAUSTED);
    }
    return new Admission.Admitted(open(token, terms, slot.getAsInt(), nowMs), false);
  }

  private Session open(ShownToken token, Session.Terms terms, int slot, long nowMs) {
    UUID id = new UUID(random.nextLong() & ~0xF000L | 0x4000L, random.nextLong() >>> 2 | 1L << 63);
    Session session = new Session(id, token, terms, drawReceiverIndex(), slot, nowMs);
    byId.put(id, session);
    byDevice.put(token.deviceKey(), session);
    byReceiver.put(session.receiverIndex(), session);
    sessionsOfLoop[loopOf(session)]++;
    size = byId.size();
    checkLater(session, nowMs);
    carrier.carry(session);
    return session;
  }

  private @Nullable Session find(String id) {
    try {
      return id.isEmpty() ? null : byId.get(UUID.fromString(id));
    } catch (IllegalArgumentException _) {
      return null; // a name that no session can have
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

  /// Takes a newer token.
  ///
  /// @return false if it is for another account or device: then nothing changes
  public boolean renew(Session session, ShownToken token) {
    if (!isOf(session, token)) {
      return false;
    }
    session.token(token);
    return true;
  }

  /// The control connection of a session is this one now, null: there is none.
  public void control(Session session, ControlLine.@Nullable Connection connection) {
    if (byId.get(session.id()) == session) {
      carrier.control(session, connection);
    }
  }

  /// Datagrams of a session came by its control connection.
  public void datagrams(Session session, List<ByteBuf> datagrams, Runnable taken) {
    if (byId.get(session.id()) == session) {
      carrier.datagrams(session, datagrams, taken);
    } else {
      datagrams.forEach(ByteBuf::release);
      taken.run();
    }
  }

  /// Ends a session; nothing if it has ended.
  public void end(Session session, SessionEnd why) {
    if (!byId.remove(session.id(), session)) {
      return;
    }
    byDevice.remove(session.token().getDeviceKey(), session);
    byReceiver.remove(session.receiverIndex());
    sessionsOfLoop[loopOf(session)]--;
    size = byId.size();
    pool.release(session.slot());
    carrier.end(session);
    ends.count(why);
    endListener.accept(session, why);
  }

  private void checkLater(Session session, long nowMs) {
    long overMs = Math.min(session.token().getExpiresMs(), session.heardMs() + idleMs);
    checks.add(new Check(session, Math.min(overMs, nowMs + CHECK_MS_MAX)));
  }

  /// Time passes: ends what has expired or is idle. Only looks at sessions whose turn it is.
  public void onTick(long nowMs) {
    for (Check next = checks.peek(); next != null && next.atMs() <= nowMs; next = checks.peek()) {
      checks.remove();
      check(next.session(), nowMs);
    }
  }

  private void check(Session session, long nowMs) {
    if (byId.get(session.id()) != session) {
      return; // has ended
    }
    if (nowMs >= session.token().getExpiresMs()) {
      end(session, SessionEnd.TOKEN_EXPIRED);
    } else if (nowMs - session.heardMs() >= idleMs) {
      end(session, SessionEnd.IDLE);
    } else {
      checkLater(session, nowMs);
    }
  }

  /// Refuses new sessions and ends all that are open.
  public void drain() {
    draining = true;
    for (Session session : new ArrayList<>(byId.values())) {
      end(session, SessionEnd.STOPPED);
    }
  }

  /// All sessions.
  public Collection<Session> sessions() {
    return byId.values();
  }

  /// The session of an id, if it is open.
  public Optional<Session> find(UUID id) {
    return Optional.ofNullable(byId.get(id));
  }

  /// The session of a device, if it has one.
  ///
  /// @param key its public key, 32 bytes raw
  public Optional<Session> ofDevice(ByteString key) {
    return Optional.ofNullable(byDevice.get(key));
  }

  /// Sessions that are open; any thread.
  public int size() {
    return size;
  }

  /// Why sessions ended; any thread.
  public Tally<SessionEnd> ends() {
    return ends;
  }
}
