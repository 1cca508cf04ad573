package io.viaduct.service.reload;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.viaduct.service.configuration.ConfigurationException;
import io.viaduct.service.configuration.ConfigurationKeys;
import io.viaduct.service.configuration.ConfigurationKeys.Change;
import io.viaduct.service.configuration.ConfigurationSource;
import io.viaduct.service.operations.MetricLabel;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Reloads the configuration of a running process. An invalid configuration is refused as a whole.
/// Otherwise the changed keys that a part of the service can reload are applied, and each other
/// changed key is logged as taking effect at the next start.
public final class ConfigurationReload<T extends Record> {
  /// The result of a reload.
  public enum Outcome {
    /// At least one key, or the content of a file that a key names, has changed.
    APPLIED,
    /// The new configuration is not valid; the process keeps the former one.
    REFUSED,
    /// No key and no file has changed.
    UNCHANGED
  }

  private static final Logger LOG = LoggerFactory.getLogger(ConfigurationReload.class);
  private static final String METER = "viaduct_configuration_reloads";

  private final ConfigurationSource<T> source;
  private final List<Reloading<T>> parts;
  private final InstantSource clock;
  private final Map<Outcome, Counter> outcomes = new EnumMap<>(Outcome.class);
  private ConfigurationKeys inUse; // guarded by this
  private volatile long loadedAtMs; // written by the thread that reloads

  /// @param running keys at the start of the process, read before the service reads the files that
  ///   they name; so a file that changes during the start counts as changed
  /// @param parts parts in the order of their preparation; the preparation of the last one may
  ///   already change something
  public ConfigurationReload(
      ConfigurationSource<T> source,
      ConfigurationKeys running,
      List<Reloading<T>> parts,
      MeterRegistry registry,
      InstantSource clock) {
    this.source = source;
    this.parts = List.copyOf(parts);
    this.clock = clock;
    this.inUse = running;
    this.loadedAtMs = clock.millis();
    for (Outcome outcome : Outcome.values()) {
      outcomes.put(
          outcome,
          Counter.builder(METER)
              .description("Reloads of the configuration (SIGHUP)")
              .tag("outcome", MetricLabel.of(outcome))
              .register(registry));
    }
    Gauge.builder("viaduct_configuration_timestamp_seconds", this, r -> r.loadedAtMs / 1000.0)
        .description("Unix time of the last load of the configuration that was not refused")
        .strongReference(true)
        .register(registry);
  }

  /// Reads the configuration, compares it and applies the changes. May be called from any thread;
  /// one reload runs at a time.
  public synchronized Outcome reload() {
    Outcome outcome = outcome();
    Counter counter = outcomes.get(outcome);
    if (counter != null) {
      counter.increment();
    }
    return outcome;
  }

  private Outcome outcome() {
    List<Change> changes;
    Set<Reloading<T>> appliedParts = new HashSet<>();
    try {
      T next = source.load();
      ConfigurationKeys keys = ConfigurationKeys.of(next);
      changes = inUse.changesTo(keys);
      List<Runnable> steps = new ArrayList<>();
      for (Reloading<T> part : parts) {
        if (part.always() || changes.stream().anyMatch(change -> part.reloads(change.key()))) {
          Runnable step = part.preparation().apply(next);
          steps.add(step);
          if (step != Reloading.AT_NEXT_START) {
            appliedParts.add(part);
          }
        }
      }
      steps.forEach(Runnable::run);
      inUse = keys;
    } catch (ConfigurationException e) {
      LOG.error("configuration not reloaded, the former one stays in use: {}", e.getMessage());
      return Outcome.REFUSED;
    } catch (RuntimeException e) {
      LOG.error("configuration not reloaded because of a defect in this program", e);
      return Outcome.REFUSED;
    }
    loadedAtMs = clock.millis();
    if (changes.isEmpty()) {
      LOG.info("configuration read again: nothing has changed");
      return Outcome.UNCHANGED;
    }
    changes.forEach(change -> log(change, appliedParts));
    return Outcome.APPLIED;
  }

  private void log(Change change, Set<Reloading<T>> appliedParts) {
    boolean applied = appliedParts.stream().anyMatch(part -> part.reloads(change.key()));
    LOG.info(
        "configuration, {}: {}",
        change.description(),
        applied ? "applied" : "takes effect at the next start");
  }
}
