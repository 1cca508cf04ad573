package io.viaduct.billing.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;
import org.springframework.dao.TransientDataAccessResourceException;

class PostingLanesTest {
  private static final String TOPIC = "reports";

  static List<ConsumerRecord<byte[], byte[]>> records(List<Integer> accounts) {
    List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
    for (int account : accounts) {
      byte[] key = account == 0 ? null : ("account-" + account).getBytes(StandardCharsets.UTF_8);
      records.add(new ConsumerRecord<>(TOPIC, 0, records.size(), key, new byte[0]));
    }
    return records;
  }

  static String account(ConsumerRecord<byte[], byte[]> record) {
    return record.key() == null ? "" : new String(record.key(), StandardCharsets.UTF_8);
  }

  @Test
  void lanesOfManyAccountsHaveTheSameLength() {
    List<Integer> accounts = new ArrayList<>();
    for (int i = 0; i < 1024; i++) {
      accounts.add(1 + i / 4 % 200);
    }
    assertThat(PostingLanes.split(records(accounts), 4, 32))
        .hasSize(4)
        .allSatisfy(lane -> assertThat(lane).hasSizeBetween(248, 264));
  }

  @Test
  void aLaneStopsAtItsFirstBatchThatWaitsAndAnotherGoesOn() {
    List<String> posted = Collections.synchronizedList(new ArrayList<>());
    List<ConsumerRecord<byte[], byte[]>> records = records(List.of(1, 2, 1, 2, 1, 2));
    try (PostingLanes lanes =
        new PostingLanes(
            2,
            1,
            batch -> {
              ConsumerRecord<byte[], byte[]> record = batch.getFirst();
              if (record.offset() == 2) {
                throw new TransientDataAccessResourceException("the database is away");
              }
              posted.add(account(record) + " " + record.offset());
            })) {
      assertThat(lanes.post(records)).extracting(ConsumerRecord::offset).containsExactly(2L, 4L);
    }
    assertThat(posted)
        .containsExactlyInAnyOrder("account-1 0", "account-2 1", "account-2 3", "account-2 5");
  }
}
