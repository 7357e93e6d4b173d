#include "src/runs/track/command_secrets.h"

#include <gtest/gtest.h>

#include "src/runs/track/child.h"

namespace wattree {
namespace {

std::string masked(const std::vector<std::string>& command) {
  return command_text(without_secrets(command));
}

TEST(CommandSecrets, AreMasked) {
  const std::string secret = "hunter2secret";
  for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
           {"train", "--api-key=" + secret},
           {"train", "--api-key", secret},
           {"train", "--wandb.api_key=" + secret},
           {"train", "wandb.api_key=" + secret},
           {"env", "HF_TOKEN=" + secret, "train"},
           {"env", "AWS_SECRET_ACCESS_KEY=" + secret},
           {"train", "--password", "with blanks " + secret},
           {"train", "--password=with blanks " + secret},
           {"train", "--hub-token", secret, "--epochs", "3"},
           {"sh", "-c", "OPENAI_API_KEY=" + secret + " train --token '" + secret + "'"},
           {"sh", "-c", "export KEY=" + secret + "; train\n--api-key " + secret},
           {"curl", "-H", "Authorization: Bearer " + secret},
           {"train", "--db", "postgres://me:" + secret + "@host/db"},
           {"train", "--client-secret", secret},
           {"docker", "run", "--env=WANDB_API_KEY=" + secret, "image"},
           {"srun", "--export=ALL,HF_TOKEN=" + secret, "train"},
           {"train", "--set", "a=1,password=" + secret},
           {"train", "{\"api_key\": \"" + secret + "\"}"},
           {"train", "{\"a\":1,\"password\":\"" + secret + "\"}"},
           {"train", "--proxy-passwd", secret},
           {"train", "sk-proj-" + secret},
           {"train", "{\"key\": \"hf_" + secret + "\"}"},
           {"train", "--config", "{\"token\":\"ghp_" + secret + "\"}"},
           {"python", "-c", "login('hf_" + secret + "')"}}) {
    const std::string text = masked(command);
    EXPECT_EQ(text.find(secret), std::string::npos) << text;
    EXPECT_NE(text.find("***"), std::string::npos) << text;
    EXPECT_EQ(text.find('\n'), std::string::npos) << text;
  }
}

TEST(CommandSecrets, LeaveTheRestAsItIs) {
  for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
           {"python", "-u", "train.py", "--lr", "0.1", "--epochs=3"},
           {"train", "--max-tokens", "512", "--key-dim=64", "--num-key-value-heads", "8"},
           {"train", "--token-file", "/run/token", "--password-file=/run/pw"},
           {"train", "--output", "https://host:8080/a@b", "model=sk-small", "hf_short"},
           {"sh", "-c", "for i in 1 2; do echo $i; done"},
           {"train", "--set=a=1,b=2", "{\"lr\": 0.1, \"name\":\"key-west\"}"},
           {"train", "task-force_hf_transfer"}}) {
    EXPECT_EQ(masked(command), command_text(command));
  }
  EXPECT_EQ(masked({"train", "--token", "--verbose"}), "train --token --verbose");
  EXPECT_EQ(masked({"train", "--token=a", "b"}), "train '--token=***' b");
}

}  // namespace
}  // namespace wattree
