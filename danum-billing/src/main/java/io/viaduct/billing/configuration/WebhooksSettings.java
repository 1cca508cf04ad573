package io.viaduct.billing.configuration;

import static io.viaduct.billing.configuration.Rules.between;
import static io.viaduct.billing.configuration.Rules.require;

import java.time.Duration;
import java.util.List;

/// Delivery to the endpoints that users and operators make.
///
/// @param allowedNetworks addresses or networks that webhooks may reach although they are internal
/// @param deadline longest time of an attempt, from the look-up of the name to the answer's status
/// @param attempts attempts after which a delivery is given up
/// @param failures deliveries in a row that are given up before the endpoint is disabled
/// @param retention age at which events and the log of their deliveries are forgotten
public record WebhooksSettings(
    List<String> allowedNetworks,
    Duration deadline,
    int attempts,
    int failures,
    Duration retention) {
  public WebhooksSettings {
    allowedNetworks = List.copyOf(allowedNetworks);
    for (String network : allowedNetworks) {
      require(
          network.matches("[0-9a-fA-F.:]{2,45}(/[0-9]{1,3})?"),
          "allowed-networks must be addresses or networks such as 10.1.0.0/16",
          network);
    }
    between("deadline", deadline, Duration.ofMillis(100), Duration.ofMinutes(1));
    require(
        attempts >= 1 && attempts <= 100, "attempts must be 1 to 100", Integer.toString(attempts));
    require(
        failures >= 1 && failures <= 1000,
        "failures must be 1 to 1000",
        Integer.toString(failures));
    between("retention", retention, Duration.ofHours(1), Duration.ofDays(400));
  }
}
