package io.viaduct.billing.diameter;

import io.micrometer.core.instrument.MeterRegistry;
import io.viaduct.billing.configuration.DiameterSettings;
import io.viaduct.diameter.dictionary.Dictionary;
import io.viaduct.diameter.message.AvpBuilder;
import io.viaduct.diameter.message.DiameterMessage;
import io.viaduct.service.operations.LabelledCounters;
import io.viaduct.usage.ChargingFunction;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Directs records to the charging function that an IMS core has named for the user
/// (P-Charging-Function-Addresses, `ccf`), if it is one of billing's peers. Thread-safe.
final class NamedFunctions {
  private static final Logger LOG = LoggerFactory.getLogger(NamedFunctions.class);

  /// Ways of a record.
  enum Way {
    /// The core has named none.
    CONFIGURED,
    /// To the function that the core has named.
    NAMED,
    /// The core has named functions, and none of them is a peer.
    UNKNOWN
  }

  private final Map<Long, String> hosts = new HashMap<>();
  private final LabelledCounters<Way> ways;
  private final AtomicBoolean hasWarned = new AtomicBoolean();

  NamedFunctions(List<DiameterSettings.Peer> peers, MeterRegistry registry) {
    for (DiameterSettings.Peer peer : peers) {
      ChargingFunction.digest(peer.host()).ifPresent(digest -> hosts.put(digest, peer.host()));
    }
    ways =
        LabelledCounters.register(
            registry,
            "viaduct_accounting_directed",
            "Accounting records by the charging function that they are directed to",
            "function",
            Way.class);
  }

  /// Returns a record with Destination-Host, or as it is.
  ///
  /// @param functions digests of the named functions
  DiameterMessage direct(DiameterMessage record, List<Long> functions) {
    Optional<String> host = functions.stream().map(hosts::get).filter(Objects::nonNull).findFirst();
    ways.increment(way(functions, host));
    return host.map(name ->
            new DiameterMessage(
                record.header(),
                new AvpBuilder(Dictionary.standard())
                    .addAll(record.avps())
                    .add("Destination-Host", name)
                    .build()))
        .orElse(record);
  }

  private Way way(List<Long> functions, Optional<String> host) {
    if (functions.isEmpty()) {
      return Way.CONFIGURED;
    }
    if (host.isEmpty() && hasWarned.compareAndSet(false, true)) {
      LOG.warn(
          "the core names a charging function (ccf) that is not among diameter.peers: its records go"
              + " to the first peer; GET /api/v1/registrations of the bridge shows its name");
    }
    return host.isPresent() ? Way.NAMED : Way.UNKNOWN;
  }
}
