package io.viaduct.cnapt.naming;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.ClosedWatchServiceException;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Gives the applications of the device the resolvers of the key `dns` while the agent is up, and
/// the network's own afterwards. If systemd-resolved serves the host, the resolvers are set there
/// for the TUN. Otherwise `/etc/resolv.conf` is replaced, and replaced again whenever a DHCP client
/// has written it. The network's own resolvers are kept, because the agent's own look-ups use them.
public final class ApplicationResolvers implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ApplicationResolvers.class);
  private static final Path RESOLV_CONF = Path.of("/etc/resolv.conf");
  private static final String KEPT = "resolv.conf.before";

  // There are no events for changes of a mounted file, so it is also read at this interval.
  private static final int LOOK_SECONDS = 5;
  // A program that writes in place may not have finished yet.
  private static final int SETTLE_MS = 200;

  private final List<String> own;
  private final Path conf;
  private final ResolverFile file;
  private final @Nullable ResolvedLink link;
  private volatile @Nullable WatchService watch; // null unless this agent replaces the file
  private List<String> now = List.of(); // guarded by this
  private boolean closed; // guarded by this

  private ApplicationResolvers(
      List<String> own, Path conf, ResolverFile file, @Nullable ResolvedLink link) {
    this.own = own;
    this.conf = conf;
    this.file = file;
    this.link = link;
  }

  /// Sets the resolvers of this host. Before that, restores the file that a killed agent has
  /// replaced.
  ///
  /// @param addresses numeric addresses; if empty, the host's resolvers are not changed
  /// @param device name of the TUN
  /// @param state the agent's state directory
  /// @throws IOException if they cannot be set; the message says what to do
  public static ApplicationResolvers set(List<String> addresses, String device, Path state)
      throws IOException {
    boolean resolved = ResolvedLink.servesThisHost(RESOLV_CONF);
    return set(addresses, RESOLV_CONF, state, resolved ? new ResolvedLink(device) : null);
  }

  static ApplicationResolvers set(
      List<String> addresses, Path conf, Path state, @Nullable ResolvedLink link)
      throws IOException {
    ResolverFile file = new ResolverFile(conf, state.toAbsolutePath().resolve(KEPT));
    ApplicationResolvers made = new ApplicationResolvers(addresses, conf, file, link);
    boolean byFile = !addresses.isEmpty() && link == null;
    if (!byFile && file.restore()) {
      LOG.info("{} is restored, because an agent was killed", conf);
    }
    made.use(addresses);
    return made;
  }

  private synchronized void use(List<String> next) throws IOException {
    if (closed || next.equals(now)) {
      return;
    }
    if (next.isEmpty()) {
      revert();
    } else if (link != null) {
      link.set(next);
      LOG.info("applications ask {}, by systemd-resolved", next);
    } else {
      file.set(next);
      LOG.info("applications ask {}, by {}", next, conf);
      if (watch == null) {
        watch();
      }
    }
    now = next;
  }

  private void revert() throws IOException {
    if (link != null) {
      link.revert();
    } else if (file.restore()) {
      LOG.info("{} is restored", conf);
    }
  }

  /// Gives the applications another resolver until [#useOwn]. Blocking; any thread may call this.
  ///
  /// @param address numeric address
  /// @throws IOException if it cannot be set
  public void useInstead(String address) throws IOException {
    use(List.of(address));
  }

  /// Gives the applications the resolvers of the key `dns` again, or the network's own if the key
  /// names none. Blocking; any thread may call this.
  ///
  /// @throws IOException if they cannot be set
  public void useOwn() throws IOException {
    use(own);
  }

  private void watch() throws IOException {
    WatchService made = conf.getFileSystem().newWatchService();
    watch = made;
    conf.resolveSibling("")
        .register(
            made,
            StandardWatchEventKinds.ENTRY_CREATE,
            StandardWatchEventKinds.ENTRY_MODIFY,
            StandardWatchEventKinds.ENTRY_DELETE);
    Thread.ofPlatform().name("resolv-conf").daemon().start(() -> follow(made));
  }

  private void follow(WatchService changes) {
    try {
      while (true) {
        WatchKey key = changes.poll(LOOK_SECONDS, TimeUnit.SECONDS);
        if (key != null) {
          TimeUnit.MILLISECONDS.sleep(SETTLE_MS);
          key.pollEvents();
          key.reset();
        }
        look();
      }
    } catch (InterruptedException | ClosedWatchServiceException _) {
      // the agent stops
    }
  }

  /// Checks on another thread whether a program has written the file, as a DHCP client does on a
  /// new network.
  public void networkChanged() {
    if (watch != null) {
      Thread.ofVirtual().name("resolv-conf").start(this::lookSoon);
    }
  }

  private void lookSoon() {
    try {
      TimeUnit.MILLISECONDS.sleep(SETTLE_MS);
      look();
    } catch (InterruptedException _) {
      // the agent stops
    }
  }

  private synchronized void look() {
    if (closed || now.isEmpty() || watch == null || file.isSet()) {
      return;
    }
    try {
      file.set(now);
      LOG.info("{} was written by another program: applications ask {} again", conf, now);
    } catch (IOException | UncheckedIOException e) {
      LOG.warn("applications ask the network's resolvers, not {}: {}", now, e.toString());
    }
  }

  /// Restores the former resolvers.
  @Override
  public synchronized void close() {
    closed = true;
    try {
      if (watch != null) {
        watch.close();
      }
      if (!now.isEmpty()) {
        revert();
      }
    } catch (IOException e) {
      LOG.error("{} cannot be restored now, the next start restores it: {}", conf, e.toString());
    }
  }
}
