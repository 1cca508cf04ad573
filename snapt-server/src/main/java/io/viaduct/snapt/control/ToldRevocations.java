package io.viaduct.snapt.control;

import com.google.protobuf.ByteString;
import io.viaduct.service.storage.DurableFile;
import io.viaduct.snapt.binding.ShownToken;
import io.viaduct.usage.v1.Revocation;
import io.viaduct.usage.v1.Revocations;
import io.viaduct.usage.v1.SnaptStatusAck;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The tokens that are void before their end, as the bridge has told them last (ADR 0071). They are
/// stored on disk, because a restart must not make them valid while the bridge is unreachable. The
/// reporting thread writes them; any thread may read.
public final class ToldRevocations {
  /// Most entries, as at the bridge.
  static final int ENTRIES_MAX = 10_000;

  private static final Logger LOG = LoggerFactory.getLogger(ToldRevocations.class);

  private final Path file;
  private Revocations told = Revocations.getDefaultInstance();
  private volatile Map<String, List<Revocation>> byAccount = Map.of();
  private volatile int count;

  private ToldRevocations(Path file) {
    this.file = file;
  }

  /// @param file file with the list of the bridge's last answer
  public static ToldRevocations open(Path file) throws IOException {
    ToldRevocations tokens = new ToldRevocations(file);
    try {
      tokens.take(Revocations.parseFrom(Files.readAllBytes(file)));
    } catch (NoSuchFileException _) {
      LOG.debug("no revocations were told yet");
    }
    return tokens;
  }

  /// Replaces the list by that of an answer. An answer without a list changes nothing: the list has
  /// not changed, the bridge does not know it yet, or it is a bridge of the version before.
  ///
  /// @return whether the list has changed
  public boolean accept(SnaptStatusAck answer) {
    if (!answer.hasRevocations() || answer.getRevocations().equals(told)) {
      return false;
    }
    take(answer.getRevocations());
    LOG.info("tokens of {} accounts or devices are revoked now", count);
    try {
      DurableFile.write(file, told.toByteArray());
    } catch (IOException e) {
      LOG.error("revocations are used but could not be kept in {}", file, e);
    }
    return true;
  }

  private void take(Revocations list) {
    told = list;
    int taken = Math.min(list.getEntriesCount(), ENTRIES_MAX);
    if (taken < list.getEntriesCount()) {
      LOG.warn(
          "the bridge revokes more than {} accounts or devices: the tokens of the others stay valid"
              + " until they end",
          ENTRIES_MAX);
    }
    Map<String, List<Revocation>> now = new HashMap<>();
    for (Revocation each : list.getEntriesList().subList(0, taken)) {
      now.computeIfAbsent(each.getAccount(), _ -> new ArrayList<>(1)).add(each);
    }
    byAccount = now;
    count = taken;
  }

  /// Returns why a token is void, as text for its device; empty for a token that is not revoked.
  ///
  /// @param nowMs Unix time in ms
  public Optional<String> reason(ShownToken token, long nowMs) {
    ByteString device = token.deviceKey();
    for (Revocation each : byAccount.getOrDefault(token.content().getAccount(), List.of())) {
      boolean isOfDevice = each.getDeviceKey().isEmpty() || each.getDeviceKey().equals(device);
      if (isOfDevice && nowMs < each.getUntilMs()) {
        return Optional.of(words(each.getReason()));
      }
    }
    return Optional.empty();
  }

  private static String words(Revocation.Reason reason) {
    return switch (reason) {
      case SUSPENDED -> "the account is suspended: ask your operator";
      case CLOSED -> "the account is closed: ask your operator";
      case DEVICE_REMOVED -> "this device was removed from its account: see the account's page";
      case REASON_UNSPECIFIED, UNRECOGNIZED -> "the token was revoked: ask your operator";
    };
  }

  /// Returns the number of entries; any thread may call this.
  public int count() {
    return count;
  }
}
