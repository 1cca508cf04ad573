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
import org.springframework.jdbc.core.JdbcTemplate;

/// Remembers every key that a bridge has named as one of its token keys, with the time when it was
/// first seen: reports may wait in a spool for longer than the bridge keeps a key. Thread-safe.
public final class SeenTokenKeys {
  private static final Logger LOG = LoggerFactory.getLogger(SeenTokenKeys.class);

  /// A bridge has one key that signs and at most eight that it accepts beside it.
  private static final int KEYS_OF_REQUEST_MAX = 16;

  private static final int KEY_ID_CHARACTERS_MAX = 64;

  private final JdbcTemplate jdbc;
  private final Set<TokenKey> stored = new HashSet<>(); // guarded by this
  private boolean loaded; // guarded by this

  public SeenTokenKeys(JdbcTemplate jdbc) {
    this.jdbc = jdbc;
  }

  /// Returns the keys of all time, those of a request included. While the database is away they are
  /// used and not stored: no report is posted then either.
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
    if (!loaded) {
      jdbc.query(
          "select key_id, public_key from token_key",
          row -> {
            stored.add(
                TokenKey.newBuilder()
                    .setKeyId(row.getString(1))
                    .setPublicKey(ByteString.copyFrom(row.getBytes(2)))
                    .build());
          });
      loaded = true;
    }
  }

  private void store(TokenKey key, Instant now) {
    int added =
        jdbc.update(
            "insert into token_key (public_key, key_id, first_seen_at) values (?, ?, ?) on conflict do nothing",
            key.getPublicKey().toByteArray(),
            key.getKeyId(),
            Timestamp.from(now));
    stored.add(key);
    if (added == 1) {
      LOG.info("the bridge names the token key '{}', seen for the first time", key.getKeyId());
    }
  }
}
