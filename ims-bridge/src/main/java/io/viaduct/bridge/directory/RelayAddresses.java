package io.viaduct.bridge.directory;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

/// Looks up the addresses of SNAPTs that are known by name, for devices whose own resolver does not
/// answer. An answer is refreshed after a minute, in the background. It stays in use while no
/// resolver answers. A caller waits only for the first look-up of a name. Thread-safe.
public final class RelayAddresses {
  /// Finds all addresses of a host.
  @FunctionalInterface
  public interface LookUp {
    InetAddress[] of(String host) throws UnknownHostException;
  }

  /// Most addresses of each family, so that a NOTIFY fits into a datagram.
  private static final int PER_FAMILY_MAX = 2;

  private static final int HOSTS_MAX = 256;
  private static final Duration AGE_MAX = Duration.ofMinutes(1);
  private static final Duration FIRST_MAX = Duration.ofSeconds(2);

  private final LookUp lookUp;
  private final InstantSource clock;
  private final Map<String, Answer> answers = new ConcurrentHashMap<>();

  private record Answer(List<InetAddress> addresses, Instant asked) {}

  public RelayAddresses(LookUp lookUp, InstantSource clock) {
    this.lookUp = lookUp;
    this.clock = clock;
  }

  /// Returns the addresses of a host, IPv4 first; empty if the host is an address itself, or if no
  /// resolver knows it.
  public List<InetAddress> of(String host) {
    if (isAddress(host)) {
      return List.of();
    }
    Answer last = answers.get(host);
    if (last == null && answers.size() >= HOSTS_MAX) {
      return List.of();
    }
    if (last == null) {
      return first(host);
    }
    Instant now = clock.instant();
    if (now.isAfter(last.asked.plus(AGE_MAX))
        && answers.replace(host, last, new Answer(last.addresses, now))) {
      var unused = ask(host);
    }
    return last.addresses;
  }

  private List<InetAddress> first(String host) {
    try {
      ask(host).get(FIRST_MAX.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException | TimeoutException _) {
      answers.putIfAbsent(host, new Answer(List.of(), clock.instant()));
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
    Answer now = answers.get(host);
    return now == null ? List.of() : now.addresses;
  }

  private Future<?> ask(String host) {
    FutureTask<Void> asking =
        new FutureTask<>(() -> {
          List<InetAddress> found = chosen(lookUp.of(host));
          answers.put(host, new Answer(found, clock.instant()));
          return null;
        });
    Thread.ofVirtual().name("resolve-" + host).start(asking);
    return asking;
  }

  private static List<InetAddress> chosen(InetAddress... found) {
    return Stream.concat(ofFamily(true, found), ofFamily(false, found)).toList();
  }

  private static Stream<InetAddress> ofFamily(boolean four, InetAddress... found) {
    return Stream.of(found)
        .filter(address -> address instanceof Inet4Address == four)
        .limit(PER_FAMILY_MAX);
  }

  private static boolean isAddress(String host) {
    try {
      InetAddress.ofLiteral(host);
      return true;
    } catch (IllegalArgumentException _) {
      return false;
    }
  }
}
