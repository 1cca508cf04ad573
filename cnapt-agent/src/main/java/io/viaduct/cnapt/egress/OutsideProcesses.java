package io.viaduct.cnapt.egress;

import io.viaduct.host.cgroup.ControlGroup;
import io.viaduct.host.cgroup.ControlGroupException;
import io.viaduct.host.cgroup.ControlGroups;
import io.viaduct.host.cgroup.MarkProgram;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Keeps processes outside the tunnel by their control group (docs/adr/0082): their sockets get a
/// mark, and the rules lead this mark past the tunnel. Nothing is set before it is needed. Any
/// thread may call it; the configured groups are looked for on a thread of its own.
public final class OutsideProcesses implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(OutsideProcesses.class);
  private static final String KEY = "split-tunnel.control-groups";
  private static final long PERIOD_SECONDS = 1;
  private static final int GROUPS_MAX = 256; // each holds a descriptor

  private record Kept(ControlGroup group, MarkProgram.Link link) {}

  /// The program that marks sockets, and the groups in which it may run.
  private record Ready(ControlGroups all, MarkProgram program) {}

  private final SplitTunnel split;
  private final Outage.Gate rules;
  // This object guards all that follows.
  private final Map<Object, Kept> kept = new LinkedHashMap<>(); // by the group's identity
  private @Nullable Ready ready;
  private @Nullable ScheduledThreadPoolExecutor watch;
  private String lastFailure = "";
  private boolean closed;

  /// @param rules lead sockets with the mark of `split` past the tunnel
  OutsideProcesses(SplitTunnel split, Outage.Gate rules) {
    this.split = split;
    this.rules = rules;
  }

  /// Begins with the configured groups, and with processes that a former agent has kept outside.
  ///
  /// @throws IOException if groups are configured and cannot be kept outside
  synchronized void start() throws IOException {
    if (!split.controlGroups().isEmpty()) {
      try {
        look(ready());
      } catch (ControlGroupException e) {
        throw e.of(KEY);
      }
      ScheduledThreadPoolExecutor looking =
          new ScheduledThreadPoolExecutor(
              1, Thread.ofPlatform().name("control-groups").daemon().factory());
      var unused =
          looking.scheduleWithFixedDelay(
              this::lookAgain, PERIOD_SECONDS, PERIOD_SECONDS, TimeUnit.SECONDS);
      watch = looking;
    }
    boolean isLeft =
        ControlGroups.mounted().stream()
            .flatMap(all -> all.find(split.group()).stream())
            .anyMatch(own -> own.processes() > 0);
    if (isLeft) {
      try {
        var unused = open();
      } catch (IOException e) {
        LOG.warn("processes that were kept outside enter the tunnel: {}", e.getMessage());
      }
    }
  }

  /// Returns the directory of the agent's own group. From now on its processes stay outside.
  ///
  /// @throws IOException if the kernel refuses something; the message says what to do
  public synchronized Path open() throws IOException {
    Ready marking = ready();
    forgetEnded();
    ControlGroup own = marking.all.make(split.group());
    keep(own, marking);
    return own.directory();
  }

  private Ready ready() throws IOException {
    Ready before = ready;
    if (before != null) {
      return before;
    }
    if (closed) {
      throw new IOException("the agent stops");
    }
    ControlGroups all = ControlGroups.mounted().orElseThrow(ControlGroupException::notMounted);
    Ready made = new Ready(all, MarkProgram.load(split.mark()));
    try {
      rules.open();
    } catch (IOException e) {
      made.program.close();
      rules.shut();
      throw e;
    }
    ready = made;
    return made;
  }

  private synchronized void lookAgain() {
    Ready marking = ready;
    if (marking == null) {
      return; // the agent stops
    }
    try {
      look(marking);
      lastFailure = "";
    } catch (IOException e) {
      String failure = e.toString();
      if (!failure.equals(lastFailure)) {
        lastFailure = failure;
        LOG.warn("some processes are not kept outside the tunnel: {}", failure);
      }
    }
  }

  private void look(Ready marking) throws IOException {
    forgetEnded();
    for (String pattern : split.controlGroups()) {
      for (ControlGroup each : marking.all.find(pattern)) {
        try {
          keep(each, marking);
        } catch (IOException e) {
          if (each.exists()) {
            throw e;
          } // otherwise it has ended meanwhile
        }
      }
    }
  }

  private void keep(ControlGroup group, Ready marking) throws IOException {
    Object identity = group.identity();
    if (kept.containsKey(identity)) {
      return;
    }
    if (kept.size() >= GROUPS_MAX) {
      throw new IOException(
          "%s: more than %d groups match: name a group above them".formatted(KEY, GROUPS_MAX));
    }
    kept.put(identity, new Kept(group, marking.program.attach(group)));
    LOG.info("new sockets of processes in {} stay outside the tunnel", group.directory());
  }

  // A group of the same name may have followed one that has ended.
  private void forgetEnded() {
    kept.entrySet()
        .removeIf(each -> {
          Kept former = each.getValue();
          boolean ended = hasEnded(former.group, each.getKey());
          if (ended) {
            former.link.close();
          }
          return ended;
        });
  }

  private static boolean hasEnded(ControlGroup group, Object identity) {
    try {
      return !group.identity().equals(identity);
    } catch (IOException _) {
      return true;
    }
  }

  /// Returns the groups whose processes stay outside.
  synchronized List<KeptOutside.Group> groups() {
    forgetEnded();
    return kept.values().stream()
        .map(each ->
            new KeptOutside.Group(each.group.directory().toString(), each.group.processes()))
        .toList();
  }

  /// Returns the configured groups of which none is there.
  synchronized List<String> awaited() {
    Ready marking = ready;
    return marking == null
        ? List.of()
        : split.controlGroups().stream().filter(each -> marking.all.find(each).isEmpty()).toList();
  }

  /// Marks no further sockets. The agent's own group stays if processes are in it.
  @Override
  public synchronized void close() {
    closed = true;
    ScheduledThreadPoolExecutor looking = watch;
    if (looking != null) {
      looking.shutdownNow();
    }
    kept.values().forEach(each -> each.link.close());
    kept.clear();
    Ready marking = ready;
    if (marking != null) {
      ready = null;
      marking.program.close();
      marking.all.find(split.group()).forEach(ControlGroup::removeIfEmpty);
    }
  }
}
