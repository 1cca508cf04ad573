package io.viaduct.cnapt;

import io.viaduct.cnapt.control.ControlSettings;
import io.viaduct.cnapt.control.SnaptSettings;
import io.viaduct.cnapt.egress.RoutingSettings;
import io.viaduct.cnapt.egress.TunSettings;
import io.viaduct.cnapt.mobility.MobilitySettings;
import io.viaduct.cnapt.receipts.ReceiptSettings;
import io.viaduct.cnapt.signalling.SignallingSettings;
import io.viaduct.cnapt.tunnel.SessionSettings;
import io.viaduct.service.logging.LoggingSettings;
import io.viaduct.service.operations.OperationsSettings;
import java.nio.file.Path;
import java.util.Optional;

/// Everything that an operator decides about one device. Defaults with their reasons:
/// `CnaptConfiguration.yml` beside this record.
///
/// @param deviceKey PKCS#8 PEM file with the device's Ed25519 key, mode 600 (`cnapt keygen`)
/// @param trust PEM file with the operator's authorities: who may call itself a SNAPT
/// @param snapt the SNAPT to begin with
/// @param signalling how the session token is obtained
/// @param tokenFile a token from elsewhere instead
/// @param state directory that must outlive the process: what was counted and signed
/// @param applications the operator's own classification table
/// @param statusSocket Unix socket that `cnapt status` asks
public record CnaptConfiguration(
    Path deviceKey,
    Path trust,
    SnaptSettings snapt,
    SignallingSettings signalling,
    Optional<Path> tokenFile,
    TunSettings tun,
    SessionSettings tunnel,
    RoutingSettings routing,
    MobilitySettings mobility,
    ControlSettings control,
    Path state,
    ReceiptSettings receipts,
    Optional<Path> applications,
    Path statusSocket,
    OperationsSettings operations,
    LoggingSettings logging) {
  /// Checks what concerns more than one key.
  public CnaptConfiguration {
    if (signalling.enabled() == tokenFile.isPresent()) {
      throw new IllegalArgumentException(
          "exactly one of signalling.bridge and token-file must be given: it obtains the token"
              + " that the SNAPT asks for");
    }
    if (!signalling.enabled() && snapt.host().isEmpty()) {
      throw new IllegalArgumentException(
          "snapt.host must be given with token-file: no bridge tells the list of SNAPTs");
    }
  }
}
