package io.viaduct.bridge.provisioning;

import com.google.protobuf.ByteString;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.viaduct.bridge.configuration.Snapt;
import io.viaduct.bridge.directory.EnrolledSnapt;
import io.viaduct.bridge.directory.SnaptDirectory;
import io.viaduct.bridge.directory.Surcharges;
import io.viaduct.usage.v1.EnrolmentGrpc;
import io.viaduct.usage.v1.ImportSnaptsRequest;
import io.viaduct.usage.v1.ImportSnaptsResponse;
import io.viaduct.usage.v1.RefusedSnapt;
import io.viaduct.usage.v1.SnaptEvent;
import io.viaduct.usage.v1.WatchSnaptsRequest;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Keeps the [SnaptDirectory] up to date with billing, which enrols SNAPTs. While billing is away,
/// the last list stays in use; a bridge that starts then uses the copy on disk. The SNAPTs of the
/// bridge's own configuration are shown to billing, which enrols those that it has never known, and
/// are used until billing has sent its first list.
public final class SnaptFeed implements ChangeStream.Reader<SnaptEvent>, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SnaptFeed.class);
  private static final int IMPORT_SECONDS_MAX = 5;
  private static final int REFUSALS_SAID_MAX = 1_000;

  private final ManagedChannel billing;
  private final SnaptDirectory directory;
  private final Consumer<String> onSnapt;
  private final EventFile<SnaptEvent> copy;
  private final ChangeStream<SnaptEvent> stream;
  // The last list of billing by id; guarded by this.
  private final SortedMap<String, SnaptEvent> enrolled = new TreeMap<>();
  private final SortedMap<String, SnaptEvent> staged = new TreeMap<>(); // the stream's thread only
  private final Set<String> said = new HashSet<>(); // refusals; the stream's thread only
  private boolean isKnown; // guarded by this: billing, or the copy, has had a list
  private List<Snapt> configured; // guarded by this

  private SnaptFeed(
      ManagedChannel billing,
      SnaptDirectory directory,
      List<Snapt> configured,
      Consumer<String> onSnapt,
      Path state,
      MeterRegistry registry)
      throws IOException {
    this.billing = billing;
    this.directory = directory;
    this.configured = List.copyOf(configured);
    this.onSnapt = onSnapt;
    this.copy = new EventFile<>(state, "snapts", SnaptEvent.parser());
    this.stream =
        new ChangeStream<>(
            "snapt-feed",
            billing,
            this::open,
            this,
            Counter.builder("viaduct_bridge_enrolment_failures")
                .description("Streams of SNAPTs from billing that failed or ended")
                .register(registry));
    Gauge.builder("viaduct_bridge_enrolment_current", stream, feed -> feed.isCurrent() ? 1 : 0)
        .description("1 while billing sends changes of SNAPTs, 0 while the last state is used")
        .register(registry);
  }

  /// Loads the copy, and starts to read from billing.
  ///
  /// @param configured SNAPTs of the bridge's configuration
  /// @param onSnapt called with the id of each SNAPT that may be new
  /// @param state directory of the copy
  /// @throws IOException if that directory cannot be used
  public static SnaptFeed start(
      ManagedChannel billing,
      SnaptDirectory directory,
      List<Snapt> configured,
      Consumer<String> onSnapt,
      Path state,
      MeterRegistry registry)
      throws IOException {
    SnaptFeed feed = new SnaptFeed(billing, directory, configured, onSnapt, state, registry);
    if (!configured.isEmpty()) {
      LOG.warn(
          "snapts of the configuration is shown to billing, which enrols SNAPTs now, and goes with"
              + " the next version: remove it when 'denarii snapts list' has them");
    }
    feed.load();
    feed.stream.start();
    return feed;
  }

  private synchronized void load() {
    Optional<List<SnaptEvent>> events = copy.read();
    if (events.isPresent() && !events.get().isEmpty() && events.get().getLast().getComplete()) {
      events.get().stream()
          .filter(SnaptEvent::hasSnapt)
          .forEach(event -> enrolled.put(event.getSnapt().getSnaptId(), event));
      isKnown = true;
      apply();
      LOG.info("{} SNAPTs loaded from the copy on disk, until billing answers", enrolled.size());
    }
  }

  /// Takes the SNAPTs of a changed configuration. Billing gets them with the next stream.
  public synchronized void configured(List<Snapt> now) {
    configured = List.copyOf(now);
    if (isKnown) {
      LOG.warn(
          "billing enrols SNAPTs: use 'denarii snapts' to change or to remove one; new ones of the"
              + " configuration are shown to billing now");
    } else {
      now.forEach(each -> onSnapt.accept(each.id()));
      directory.configure(now.stream().map(EnrolledSnapt::configured).toList());
    }
    stream.again(); // also if billing has not answered yet: it was shown the former ones
  }

  private Iterator<SnaptEvent> open() {
    staged.clear();
    List<Snapt> shown;
    synchronized (this) {
      shown = configured;
    }
    if (!shown.isEmpty()) {
      show(shown);
    }
    return EnrolmentGrpc.newBlockingStub(billing)
        .watchSnapts(WatchSnaptsRequest.getDefaultInstance());
  }

  // A refused SNAPT, or a failed import, does not keep the enrolled ones and their prices out.
  private void show(List<Snapt> shown) {
    ImportSnaptsRequest.Builder request = ImportSnaptsRequest.newBuilder();
    shown.forEach(each -> request.addSnapts(message(each)));
    try {
      ImportSnaptsResponse answer =
          EnrolmentGrpc.newBlockingStub(billing)
              .withDeadlineAfter(IMPORT_SECONDS_MAX, TimeUnit.SECONDS)
              .importSnapts(request.build());
      LOG.info(
          "billing has enrolled {} of {} configured SNAPTs", answer.getEnrolled(), shown.size());
      for (RefusedSnapt each : answer.getRefusedList()) {
        sayOnce("billing refuses SNAPT '%s': %s".formatted(each.getSnaptId(), each.getWhy()));
      }
    } catch (StatusRuntimeException e) {
      sayOnce("billing has enrolled no SNAPT: " + e.getStatus().getCode() + ": " + e.getMessage());
    }
  }

  private void sayOnce(String refusal) {
    if (said.size() < REFUSALS_SAID_MAX && said.add(refusal)) {
      LOG.error(
          "snapts of the configuration: {}; correct it, or enrol it with 'denarii snapts enrol'",
          refusal);
    }
  }

  private static io.viaduct.usage.v1.EnrolledSnapt message(Snapt line) {
    return io.viaduct.usage.v1.EnrolledSnapt.newBuilder()
        .setSnaptId(line.id())
        .setReportKey(ByteString.copyFrom(Base64.getDecoder().decode(line.reportKey())))
        .setOwner(line.owner())
        .setRegion(line.region())
        .setLineRate(line.lineRate().orElse(0L))
        .build();
  }

  @Override
  public boolean stage(SnaptEvent event) {
    note(event, staged);
    if (event.getComplete()) {
      synchronized (this) {
        enrolled.clear();
        enrolled.putAll(staged);
        isKnown = true;
        apply();
      }
      LOG.info("billing has sent its SNAPTs: {}", staged.keySet());
      staged.clear();
      write();
    }
    return event.getComplete();
  }

  @Override
  public void change(SnaptEvent event) {
    switch (event.getEventCase()) {
      case SNAPT -> LOG.info("SNAPT {} is enrolled or changed", event.getSnapt().getSnaptId());
      case REMOVED -> LOG.info("SNAPT {} was removed", event.getRemoved());
      case COMPLETE, EVENT_NOT_SET -> {
        return; // a kind of a later version
      }
    }
    synchronized (this) {
      note(event, enrolled);
      apply();
    }
    write();
  }

  private static void note(SnaptEvent event, SortedMap<String, SnaptEvent> into) {
    switch (event.getEventCase()) {
      case SNAPT -> into.put(event.getSnapt().getSnaptId(), event);
      case REMOVED -> into.remove(event.getRemoved());
      case COMPLETE -> {}
      case EVENT_NOT_SET -> LOG.debug("an event of an unknown kind from billing is ignored");
    }
  }

  // A SNAPT that breaks a rule is left out, so that it does not keep the others from use.
  private void apply() {
    List<EnrolledSnapt> all = new ArrayList<>();
    for (SnaptEvent each : enrolled.values()) {
      io.viaduct.usage.v1.EnrolledSnapt snapt = each.getSnapt();
      try {
        all.add(
            new EnrolledSnapt(
                new Snapt(
                    snapt.getSnaptId(),
                    Base64.getEncoder().encodeToString(snapt.getReportKey().toByteArray()),
                    snapt.getOwner(),
                    snapt.getRegion(),
                    snapt.getLineRate() == 0 ? Optional.empty() : Optional.of(snapt.getLineRate())),
                Surcharges.of(snapt.getSurchargesList()),
                snapt.getCertificateKey().isEmpty()
                    ? Optional.empty()
                    : Optional.of(ByteBuffer.wrap(snapt.getCertificateKey().toByteArray()))));
        onSnapt.accept(snapt.getSnaptId());
      } catch (IllegalArgumentException e) {
        LOG.error("SNAPT '{}' of billing is not used: {}", snapt.getSnaptId(), e.getMessage());
      }
    }
    directory.enrol(all);
  }

  private void write() {
    List<SnaptEvent> events;
    synchronized (this) {
      events = new ArrayList<>(enrolled.values());
    }
    events.add(SnaptEvent.newBuilder().setComplete(true).build());
    try {
      copy.write(events);
    } catch (IOException e) {
      LOG.error("the copy of the SNAPTs cannot be written: {}", e.toString());
    }
  }

  @Override
  public synchronized void failed(String why) {
    LOG.warn(
        "billing sends no changes of SNAPTs ({}); {} stays in use",
        why,
        isKnown ? "its last list of " + enrolled.size() : "the list of the configuration");
  }

  /// Ends the stream.
  @Override
  public void close() {
    stream.close();
  }
}
