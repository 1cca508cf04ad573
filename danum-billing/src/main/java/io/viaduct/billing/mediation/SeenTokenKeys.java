package io.viaduct.billing.mediation;

import com.google.protobuf.ByteString;
import io.viaduct.usage.TokenKeys;
import io.viaduct.usage.v1.TokenKey;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.simple.JdbcClient;

/// Stores every token key that a bridge has ever announced, with the time of its first
/// announcement. A report may wait in a spool for longer than the bridge keeps a key. Thread-safe.
public final class SeenTokenKeys {
  private static final Logger LOG = LoggerFactory.getLogger(SeenTokenKeys.class);

  /// A bridge has one signing key and accepts at most eight more.
  private static final int KEYS_OF_REQUEST_MAX = 16;

  private static final int KEY_ID_CHARACTERS_MAX = 64;

  private final JdbcClient jdbc;
  private final Set<TokenKey> stored = new HashSet<>(); // guarded by this
  private boolean isLoaded; // guarded by this

  public SeenTokenKeys(JdbcClient jdbc) {
    this.jdbc = jdbc;
  }

  /// Returns all keys that were ever announced, including those of a request. If the database is
  /// not available, the keys of the request are used but not stored: then no report is posted
  /// either.
  synchronized TokenKeys with(List<TokenKey> ofRequest, Instant now) {
    List<TokenKey> fresh =
        ofRequest.stream()
            .limit(KEYS_OF_REQUEST_MAX)
            .filter(SeenTokenKeys::isWellFormed)
            .filter(key -> !stored.contains(key))
            .distinct()
            .toList();
    try {
      load();
      fresh.forEach(key -> store(key, now));
    } catch (DataAccessException e) {
      LOG.warn("token keys cannot be stored now, database: {}", e.toString());
    }
    List<TokenKey> all = new ArrayList<>(stored);
    all.addAll(fresh);
    return TokenKeys.of(all);
  }

  private static boolean isWellFormed(TokenKey key) {
    return key.getPublicKey().size() == TokenKeys.RAW_KEY_LENGTH
        && key.getKeyId().matches("[\\x21-\\x7e]{1," + KEY_ID_CHARACTERS_MAX + "}");
  }

  private void load() {
    if (!isLoaded) {
      jdbc.sql("select key_id, public_key from token_key")
          .query(row -> {
            stored.add(
                TokenKey.newBuilder()
                    .setKeyId(row.getString(1))
                    .setPublicKey(ByteString.copyFrom(row.getBytes(2)))
                    .build());
          });
      isLoaded = true;
    }
  }

  private void store(TokenKey key, Instant now) {
    int added =
        jdbc.sql(
                "insert into token_key (public_key, key_id, first_seen_at) values (:publicKey, :keyId, :firstSeenAt) on conflict do nothing")
            .param("publicKey", key.getPublicKey().toByteArray())
            .param("keyId", key.getKeyId())
            .param("firstSeenAt", Timestamp.from(now))
            .update();
    stored.add(key);
    if (added == 1) {
      LOG.info("the bridge announced the new token key '{}'", key.getKeyId());
    }
  }
}
