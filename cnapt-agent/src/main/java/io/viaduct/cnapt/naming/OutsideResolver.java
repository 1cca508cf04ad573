package io.viaduct.cnapt.naming;

import io.netty.channel.ChannelFactory;
import io.netty.channel.EventLoop;
import io.netty.channel.epoll.EpollDatagramChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.unix.IntegerUnixChannelOption;
import io.netty.handler.codec.dns.DnsRecord;
import io.netty.resolver.dns.DefaultDnsCache;
import io.netty.resolver.dns.DnsCacheEntry;
import io.netty.resolver.dns.DnsNameResolver;
import io.netty.resolver.dns.DnsNameResolverBuilder;
import io.netty.resolver.dns.DnsServerAddressStreamProvider;
import io.netty.resolver.dns.DnsServerAddresses;
import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Looks up names with the host's resolvers, on sockets with the agent's mark, so that a look-up
/// never depends on the tunnel. An answer is valid for its TTL. A name that [#resolve] was asked
/// for is refreshed at three quarters of it, while the device carries something: an idle device
/// asks nothing. While no resolver answers, the last answer is used, for at most a week.
///
/// [#resolve] and [#resolveOnce] block and must not be called on the resolver's own event loop; any
/// other thread may.
public final class OutsideResolver {
  private static final Logger LOG = LoggerFactory.getLogger(OutsideResolver.class);
  private static final int HOSTS_MAX = 256;
  private static final int TTL_SECONDS_MIN = 10;
  private static final int TTL_SECONDS_MAX = 86_400;
  private static final int QUERY_MS = 1500;
  private static final int FIRST_MS_MAX = 8000;
  private static final int STALE_MS_MAX = 500;
  private static final long STALE_NS_MAX = TimeUnit.DAYS.toNanos(7);

  // SOL_SOCKET and SO_MARK of asm-generic/socket.h.
  private static final IntegerUnixChannelOption SO_MARK =
      new IntegerUnixChannelOption("SO_MARK", 1, 36);

  private final EventLoop loop;
  private final int mark;
  private final Supplier<List<InetSocketAddress>> servers;
  private final LongSupplier nanoTime;
  private final LongSupplier carriedBytes;
  private final Map<String, Answer> known = new ConcurrentHashMap<>();
  private final Set<String> kept = ConcurrentHashMap.newKeySet(); // these are refreshed
  private final Map<String, Integer> lifetimeSeconds = new ConcurrentHashMap<>();
  private final Cache cache = new Cache();
  private List<InetSocketAddress> asked = List.of();
  private @Nullable DnsNameResolver resolver; // guarded by this

  private record Answer(List<InetAddress> addresses, long atNs, long lifetimeNs) {}

  /// @param loop event loop of an `EpollIoHandler`, for the answers
  /// @param mark SO_MARK of the queries; 0 means none
  /// @param inside resolvers inside the tunnel, which are not used here
  /// @param carriedBytes a difference means that the device carries something; any thread calls it
  public OutsideResolver(
      EventLoop loop,
      int mark,
      List<InetAddress> inside,
      LongSupplier nanoTime,
      LongSupplier carriedBytes) {
    this(loop, mark, new NameServers(inside)::read, nanoTime, carriedBytes);
  }

  OutsideResolver(
      EventLoop loop,
      int mark,
      Supplier<List<InetSocketAddress>> servers,
      LongSupplier nanoTime,
      LongSupplier carriedBytes) {
    this.loop = loop;
    this.mark = mark;
    this.servers = servers;
    this.nanoTime = nanoTime;
    this.carriedBytes = carriedBytes;
  }

  /// Returns the addresses of a host, at least one.
  ///
  /// @throws UnknownHostException if no resolver knows the host, or if none answers and there is no
  ///   earlier answer
  public List<InetAddress> resolve(String host) throws UnknownHostException {
    String name = host.toLowerCase(Locale.ROOT);
    if (kept.size() < HOSTS_MAX) {
      kept.add(name);
    }
    return lookUp(name);
  }

  /// Returns the same. Does not keep the answer fresh for later calls.
  ///
  /// @throws UnknownHostException as [#resolve]
  public List<InetAddress> resolveOnce(String host) throws UnknownHostException {
    InetAddress literal = NetUtil.createInetAddressFromIpAddressString(host);
    return literal == null ? lookUp(host.toLowerCase(Locale.ROOT)) : List.of(literal);
  }

  private List<InetAddress> lookUp(String name) throws UnknownHostException {
    if (loop.inEventLoop()) {
      throw new IllegalStateException("a look-up of " + name + " would wait for its own thread");
    }
    Answer last = known.get(name);
    if (last != null && ageNs(last) < last.lifetimeNs) {
      return last.addresses;
    }
    var answer = current().resolveAll(name);
    // If there is an old answer, the caller waits only briefly for a resolver that may be
    // unreachable (RFC 8767).
    answer.awaitUninterruptibly(last == null ? FIRST_MS_MAX : STALE_MS_MAX);
    List<InetAddress> found = answer.isSuccess() ? answer.getNow() : null;
    if (found != null && !found.isEmpty()) {
      remember(name, found);
      return found;
    }
    if (last == null || ageNs(last) > STALE_NS_MAX) {
      throw new UnknownHostException(
          "no address for %s from the resolvers %s: %s"
              .formatted(
                  name, asked(), answer.cause() == null ? "no answer" : why(answer.cause())));
    }
    LOG.debug("{} keeps its last addresses {}", name, last.addresses);
    return last.addresses;
  }

  private long ageNs(Answer answer) {
    return nanoTime.getAsLong() - answer.atNs;
  }

  private static String why(Throwable cause) {
    Throwable root = cause;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    return root.getMessage() == null ? root.toString() : root.getMessage();
  }

  private void remember(String name, List<InetAddress> found) {
    if (known.size() < HOSTS_MAX || known.containsKey(name)) {
      int seconds = lifetimeSeconds.getOrDefault(name, TTL_SECONDS_MIN);
      Answer answer =
          new Answer(List.copyOf(found), nanoTime.getAsLong(), TimeUnit.SECONDS.toNanos(seconds));
      known.put(name, answer);
      if (lifetimeSeconds.containsKey(name)) {
        refreshLater(name, answer);
      }
    }
  }

  private void refreshLater(String name, Answer answer) {
    long carried = carriedBytes.getAsLong();
    loop.schedule(
        () -> refreshInUse(name, answer, carried), answer.lifetimeNs * 3 / 4, TimeUnit.NANOSECONDS);
  }

  // An idle device looks again later, and asks nobody.
  private void refreshInUse(String name, Answer answer, long carriedBefore) {
    if (known.get(name) != answer || !kept.contains(name)) {
      return;
    }
    if (carriedBytes.getAsLong() == carriedBefore) {
      refreshLater(name, answer);
    } else {
      refresh(name);
    }
  }

  private synchronized List<String> asked() {
    return asked.stream().map(s -> s.getAddress().getHostAddress()).toList();
  }

  /// Refreshes the answers that are kept fresh, because the network has changed; the others at the
  /// next call. The old answers stay in use until then.
  public void networkChanged() {
    for (String name : known.keySet()) {
      if (kept.contains(name)) {
        refresh(name);
      } else {
        known.computeIfPresent(name, (_, last) -> new Answer(last.addresses, last.atNs, 0));
      }
    }
  }

  private synchronized DnsNameResolver current() {
    List<InetSocketAddress> now = servers.get();
    DnsNameResolver open = resolver;
    if (open != null && now.equals(asked)) {
      return open;
    }
    if (open != null) {
      open.close();
    }
    asked = now;
    DnsNameResolver made = open(now);
    resolver = made;
    return made;
  }

  private DnsNameResolver open(List<InetSocketAddress> at) {
    DnsNameResolverBuilder builder =
        new DnsNameResolverBuilder(loop)
            .datagramChannelFactory(marked(EpollDatagramChannel::new))
            .socketChannelFactory(marked(EpollSocketChannel::new))
            .queryTimeoutMillis(QUERY_MS)
            .maxQueriesPerResolve(8)
            .resolveCache(cache);
    if (!at.isEmpty()) {
      DnsServerAddressStreamProvider inOrder = _ -> DnsServerAddresses.sequential(at).stream();
      builder.nameServerProvider(inOrder);
    }
    return builder.build();
  }

  private <C extends io.netty.channel.Channel> ChannelFactory<C> marked(ChannelFactory<C> sockets) {
    return () -> {
      C channel = sockets.newChannel();
      if (mark != 0) {
        channel.config().setOption(SO_MARK, mark);
      }
      return channel;
    };
  }

  // Not on an event loop, because the host's resolvers are read from a file.
  private void refresh(String name) {
    Thread.ofVirtual().name("resolve").start(() -> ask(name));
  }

  private void ask(String name) {
    cache.clear(name + ".");
    cache.clear(name);
    current()
        .resolveAll(name)
        .addListener((io.netty.util.concurrent.Future<List<InetAddress>> done) -> {
          if (done.isSuccess() && !done.getNow().isEmpty()) {
            remember(name, done.getNow());
          }
        });
  }

  /// Closes the resolver; look-ups in progress fail.
  public synchronized void close() {
    DnsNameResolver open = resolver;
    if (open != null) {
      open.close();
      resolver = null;
    }
    known.clear();
  }

  /// Netty's cache, which reports the TTL of each answer.
  private final class Cache extends DefaultDnsCache {
    private Cache() {
      super(TTL_SECONDS_MIN, TTL_SECONDS_MAX, 0);
    }

    @Override
    public DnsCacheEntry cache(
        String hostname,
        DnsRecord @Nullable [] additionals,
        InetAddress address,
        long originalTtl,
        EventLoop on) {
      String name =
          hostname.endsWith(".") ? hostname.substring(0, hostname.length() - 1) : hostname;
      if (lifetimeSeconds.size() < HOSTS_MAX || lifetimeSeconds.containsKey(name)) {
        lifetimeSeconds.put(name, (int) Math.clamp(originalTtl, TTL_SECONDS_MIN, TTL_SECONDS_MAX));
      }
      return super.cache(hostname, additionals, address, originalTtl, on);
    }
  }
}
