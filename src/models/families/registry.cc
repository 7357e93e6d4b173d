// Every family we know. Adding one: a file beside this one, and two lines here.
#include <array>

#include "src/models/families/family.h"

namespace wattree {

extern const Family kAlbert;
extern const Family kBart;
extern const Family kBert;
extern const Family kBloom;
extern const Family kCamembert;
extern const Family kClip;
extern const Family kClipText;
extern const Family kClipVision;
extern const Family kDebertaV2;
extern const Family kDistilBert;
extern const Family kElectra;
extern const Family kFalcon;
extern const Family kGemma;
extern const Family kGemma2;
extern const Family kGemma3Text;
extern const Family kGpt2;
extern const Family kGptJ;
extern const Family kGptNeo;
extern const Family kGptNeoX;
extern const Family kGranite;
extern const Family kLlama;
extern const Family kMarian;
extern const Family kMistral;
extern const Family kMixtral;
extern const Family kModernBert;
extern const Family kMpnet;
extern const Family kMpt;
extern const Family kMt5;
extern const Family kOlmo2;
extern const Family kOpenAiGpt;
extern const Family kOpt;
extern const Family kPhi;
extern const Family kPhi3;
extern const Family kQwen2;
extern const Family kQwen2Moe;
extern const Family kQwen3;
extern const Family kQwen3Moe;
extern const Family kRoberta;
extern const Family kT5;
extern const Family kVit;
extern const Family kWhisper;
extern const Family kXlmRoberta;

std::span<const Family> families() {
  static const std::array all{
      kAlbert,     kBart,      kBert,       kBloom,      kCamembert, kClip,    kClipText,
      kClipVision, kDebertaV2, kDistilBert, kElectra,    kFalcon,    kGemma,   kGemma2,
      kGemma3Text, kGpt2,      kGptJ,       kGptNeo,     kGptNeoX,   kGranite, kLlama,
      kMarian,     kMistral,   kMixtral,    kModernBert, kMpnet,     kMpt,     kMt5,
      kOlmo2,      kOpenAiGpt, kOpt,        kPhi,        kPhi3,      kQwen2,   kQwen2Moe,
      kQwen3,      kQwen3Moe,  kRoberta,    kT5,         kVit,       kWhisper, kXlmRoberta};
  return all;
}

const Family* find_family(std::string_view model_type) {
  for (const Family& family : families()) {
    if (family.model_type == model_type) return &family;
  }
  return nullptr;
}

}  // namespace wattree
